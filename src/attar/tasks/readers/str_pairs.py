"""STR as published: a CSV whose Text field holds both sentences, one per line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attar.errors import DataError
from attar.tasks.readers.delimited import read_csv
from attar.tasks.readers.table import ColumnTable


@dataclass(frozen=True)
class StrPairs:
    """Columns Text and Score (0 to 1); an early release scores from -1 to 1 and adds Adj-Score from 0 to 1."""

    file: str
    folders: tuple[str, ...] = ("", "STR", "str", "str5500", "semantic-textual-relatedness")
    title: str = "STR csv"

    def files(self, split: str) -> tuple[str, ...]:
        return (self.file,)

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        table = read_csv(paths[0])
        pairs = [text.replace("\r\n", "\n").split("\n") for text in table["Text"]]
        for row, pair in enumerate(pairs, start=1):
            if len(pair) != 2:
                raise DataError(
                    f"{table.source}: the Text of row {row} has {len(pair)} lines, not one for each of the 2 sentences"
                )
        columns = {
            "score": table["Adj-Score" if "Adj-Score" in table else "Score"],
            "sentence1": [pair[0] for pair in pairs],
            "sentence2": [pair[1] for pair in pairs],
        }
        return ColumnTable(table.source, columns)
