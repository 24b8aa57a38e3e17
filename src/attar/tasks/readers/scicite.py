"""SciCite: one JSON object per line, a file per split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attar.tasks.readers.delimited import read_jsonl
from attar.tasks.readers.table import ColumnTable


@dataclass(frozen=True)
class SciCite:
    """SPLIT.jsonl with the text under "string" in the release; SPLIT.txt with it under "text" in SciBERT's copy."""

    suffix: str
    text: str
    folders: tuple[str, ...]
    title: str

    def files(self, split: str) -> tuple[str, ...]:
        return (split + self.suffix,)

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        table = read_jsonl(paths[0], wanted=(self.text, "label"))
        return ColumnTable(table.source, {"label": table["label"], "text": table[self.text]})
