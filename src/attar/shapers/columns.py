"""Quantiles of many columns, a block of columns at a time so that each lies in one run of memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attar.shapers.moments import Vectors
from attar.types import Doubles

BLOCK = 32  # columns


def column_blocks(n_columns: int) -> Iterator[slice]:
    for start in range(0, n_columns, BLOCK):
        yield slice(start, min(start + BLOCK, n_columns))


def column_quantiles(X: Vectors, levels: Doubles) -> Doubles:
    """Of each column, the values at these levels (0 the least, 1 the greatest), linear between neighbours.

    Shape: X (N, D), levels (Q,); result (D, Q)
    """
    n, d = X.shape
    # By way of percents, as numpy's percentile does: where columns hold equal values, the last bit of a position
    # decides whether two quantiles are equal too.
    positions = (levels * 100 / 100) * (n - 1)
    below = np.floor(positions).astype(np.int64)
    above = np.minimum(below + 1, n - 1)
    part = positions - below
    quantiles = np.empty((d, len(levels)))
    for block in column_blocks(d):
        ordered = np.sort(np.ascontiguousarray(X[:, block].T), axis=1)  # (block, N)
        low, high = ordered[:, below].astype(np.float64), ordered[:, above].astype(np.float64)
        gap = high - low
        # From the nearer neighbour, so that the value at either end is exact.
        quantiles[block] = np.where(part < 0.5, low + gap * part, high - gap * (1 - part))
    return quantiles
