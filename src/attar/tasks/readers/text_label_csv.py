"""A quoted CSV with the columns text and label: the clustering sets as evaluation code passes them around."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attar.tasks.readers.delimited import read_csv
from attar.tasks.readers.table import ColumnTable


@dataclass(frozen=True)
class TextLabelCsv:
    """One file of all rows."""

    file: str
    folders: tuple[str, ...] = ("",)
    title: str = "text,label csv"

    def files(self, split: str) -> tuple[str, ...]:
        return (self.file,)

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        table = read_csv(paths[0])
        return ColumnTable(table.source, {"label": table["label"], "text": table["text"]})
