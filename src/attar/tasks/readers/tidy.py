"""The tidy form: STEM.SPLIT.tsv or STEM.tsv, plain or gzipped, with a header line and no quoting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attar.tasks.readers.delimited import read_tsv
from attar.tasks.readers.table import ColumnTable


@dataclass(frozen=True)
class Tidy:
    """One TSV per split, or one of all rows where the dataset has no splits."""

    stem: str
    title: str = "tidy"
    folders: tuple[str, ...] = ("", "tidy")

    def files(self, split: str) -> tuple[str, ...]:
        return (f"{self.stem}.tsv" if split == "all" else f"{self.stem}.{split}.tsv",)

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        return read_tsv(paths[0])
