"""What every reader hands back: columns of strings under the tidy names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attar.errors import DataError
from attar.types import Doubles


@dataclass(frozen=True)
class ColumnTable:
    """The rows of one split: columns of equal length, texts as they stand in the file.

    The tidy names are subset, score, label, text, sentence1 and sentence2; each form fills those it has.
    """

    source: str  # the file (or files) it was read from, for messages
    columns: Mapping[str, Sequence[str]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> Sequence[str]:
        if name not in self.columns:
            raise DataError(
                f"{self.source} has no column {name!r}; it has: {', '.join(self.columns) or 'none'}. "
                f"Rename a column of the file to {name!r}"
            )
        return self.columns[name]

    def numbers(self, name: str, scale: tuple[float, float] | None = None) -> Doubles:
        """A column of finite numbers, all within the scale where one is given. Shape: (N,)"""
        allowed = "a number" if scale is None else f"a number from {scale[0]:g} to {scale[1]:g}"
        column = self[name]
        values = np.empty(len(column), dtype=np.float64)
        for row, text in enumerate(column):
            try:
                values[row] = float(text)
            except ValueError:
                values[row] = np.nan
        low, high = scale if scale is not None else (-np.inf, np.inf)
        wrong = ~np.isfinite(values) | (values < low) | (values > high)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(
                f"{self.source}: the {name} of row {row + 1} is {column[row]!r}, not {allowed} "
                f"({int(wrong.sum())} of {len(column)} rows are like that). Correct the file"
            )
        return values
