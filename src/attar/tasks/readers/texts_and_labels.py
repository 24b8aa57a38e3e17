"""A file of texts and a file of labels, line by line: the older short-text collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attar.errors import DataError
from attar.tasks.readers.table import ColumnTable
from attar.tasks.readers.textfile import read_lines


@dataclass(frozen=True)
class TextsAndLabels:
    """Line i of one file is the text, line i of the other its label."""

    texts: str
    labels: str
    folders: tuple[str, ...]
    title: str = "texts + labels"

    def files(self, split: str) -> tuple[str, ...]:
        return (self.texts, self.labels)

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        texts, labels = (read_lines(path) for path in paths)
        if len(texts) != len(labels):
            raise DataError(
                f"{paths[0]} has {len(texts)} lines and {paths[1]} {len(labels)}: they must match line by line. "
                f"Fetch both again"
            )
        return ColumnTable(" + ".join(map(str, paths)), {"label": [label.strip() for label in labels], "text": texts})
