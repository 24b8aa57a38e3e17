"""Two files of one text per line, one file per class: MR, CR, SUBJ and MPQA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attar.tasks.readers.table import ColumnTable
from attar.tasks.readers.textfile import read_lines


@dataclass(frozen=True)
class Polarity:
    """The texts of class 1, then those of class 0; latin-1, as these files are."""

    ones: str
    zeros: str
    folders: tuple[str, ...]
    title: str = "SentEval"

    def files(self, split: str) -> tuple[str, ...]:
        return (self.ones, self.zeros)

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        ones, zeros = (read_lines(path, "latin-1") for path in paths)
        labels = ["1"] * len(ones) + ["0"] * len(zeros)
        return ColumnTable(" + ".join(map(str, paths)), {"label": labels, "text": ones + zeros})
