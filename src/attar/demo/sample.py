"""The sentences of the demo, written for it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Sample:
    """What is searched, and what for: document 2i answers query i, document 2i + 1 shares its words, not its meaning.

    Queries mean the same as their documents and share few words with them.
    """

    documents: list[str]
    queries: list[str]

    @classmethod
    def read(cls) -> Sample:
        """The sentences that come with the package."""
        table = files("attar").joinpath("resources/sample.tsv").read_text(encoding="utf-8")
        rows = list(csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE))
        documents = [row[column] for row in rows for column in ("sentence", "near_miss")]
        return cls(documents, [row["paraphrase"] for row in rows])

    def answer(self, query: int) -> int:
        """The document that a query should find."""
        return 2 * query
