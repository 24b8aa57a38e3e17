"""Exact neighbours by blocked products of unit vectors: no index, no approximation, little memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attar.errors import InputError
from attar.io.progress import Advance, nothing
from attar.types import Floats, Ints

ROWS_AT_ONCE = 8192  # vectors in one block
QUERIES_AT_ONCE = 1024
_LONGEST = 1.01  # product of two vectors of length 1, with room for rounding


@dataclass(frozen=True)
class Neighbours:
    """The nearest rows of each query, nearest first; of equal cosines the earlier row first."""

    cosines: Floats  # (Q, K)
    rows: Ints  # (Q, K)


@dataclass(frozen=True)
class Pairs:
    """Pairs of rows and their cosines, nearest first."""

    left: Ints  # (P,)
    right: Ints  # (P,)
    cosines: Floats  # (P,)

    def __len__(self) -> int:
        return len(self.left)


def nearest(queries: Floats, parts: Sequence[Floats], k: int) -> Neighbours:
    """The k rows of highest product with each query; `parts` are rows of one table, and may be mapped files.

    Parameters
    ----------
    queries : (Q, D) float32, of length 1
    parts : arrays (N_i, D) float32, of length 1; row numbers run on from part to part
    k : how many; fewer are returned where there are fewer rows

    Returns
    -------
    Neighbours of shape (Q, min(k, N))
    """
    if k < 1:
        raise InputError(f"{k} neighbours were asked for; give 1 or more")
    found = [
        _nearest_of_few(queries[start : start + QUERIES_AT_ONCE], parts, k)
        for start in range(0, max(len(queries), 1), QUERIES_AT_ONCE)
    ]
    return Neighbours(np.concatenate([f.cosines for f in found]), np.concatenate([f.rows for f in found]))


def _nearest_of_few(queries: Floats, parts: Sequence[Floats], k: int) -> Neighbours:
    cosines = np.empty((len(queries), 0), dtype=np.float32)
    rows = np.empty((len(queries), 0), dtype=np.int64)
    for first, block in _blocks(parts):
        product = checked_cosines(queries, block)
        numbers = np.broadcast_to(np.arange(first, first + len(block)), product.shape)
        kept = _best(np.hstack([cosines, product]), np.hstack([rows, numbers]), k)
        cosines, rows = kept.cosines, kept.rows
    return _ordered(cosines, rows)


def checked_cosines(queries: Floats, block: Floats) -> Floats:
    """Products of vectors of length 1. Others are refused: NaN would never be found, long ones always.

    Shape: (Q, D), (N, D) to (Q, N)
    """
    with np.errstate(all="ignore"):
        product = queries @ block.T
    if not (product.max(initial=0) < _LONGEST and product.min(initial=0) > -_LONGEST):
        raise InputError("vectors of the index are not finite or not of length 1: a file is damaged; build it again")
    return product


def _blocks(parts: Iterable[Floats]) -> Iterator[tuple[int, Floats]]:
    first = 0
    for part in parts:
        for start in range(0, len(part), ROWS_AT_ONCE):
            yield first + start, np.asarray(part[start : start + ROWS_AT_ONCE])
        first += len(part)


def _best(cosines: Floats, rows: Ints, k: int) -> Neighbours:
    """The k best of each line, in any order."""
    if cosines.shape[1] <= k:
        return Neighbours(cosines, rows)
    keep = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
    return Neighbours(np.take_along_axis(cosines, keep, axis=1), np.take_along_axis(rows, keep, axis=1))


def _ordered(cosines: Floats, rows: Ints) -> Neighbours:
    order = np.lexsort((rows, -cosines), axis=1)
    return Neighbours(np.take_along_axis(cosines, order, axis=1), np.take_along_axis(rows, order, axis=1))


def joined(some: Neighbours, others: Neighbours, k: int) -> Neighbours:
    """The k best of two searches of the same queries in different rows."""
    kept = _best(np.hstack([some.cosines, others.cosines]), np.hstack([some.rows, others.rows]), k)
    return _ordered(kept.cosines, kept.rows)


def nearest_other(vectors: Floats, advance: Advance = nothing) -> Floats:
    """The cosine of each row with the row nearest to it, itself left out. Shape: (N, D) to (N,)"""
    best = np.full(len(vectors), -1.0, dtype=np.float32)
    for rows, columns, product in _triangle(vectors, advance):
        np.maximum(best[rows], product.max(axis=1), out=best[rows])
        np.maximum(best[columns], product.max(axis=0), out=best[columns])
    return best


def nearest_in(vectors: Floats, other: Floats, advance: Advance = nothing) -> Floats:
    """The cosine of each row with the nearest row of another table. Shape: (N, D), (M, D) to (N,)"""
    best = np.full(len(vectors), -1.0, dtype=np.float32)
    for rows, _, product in _rectangle(vectors, other, advance):
        np.maximum(best[rows], product.max(axis=1), out=best[rows])
    return best


def close_pairs(vectors: Floats, threshold: float, other: Floats | None = None, advance: Advance = nothing) -> Pairs:
    """All pairs of rows whose cosine is the threshold or more: within one table (left < right), or between two."""
    blocks = _triangle(vectors, advance) if other is None else _rectangle(vectors, other, advance)
    left, right, cosines = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.float32)]
    for rows, columns, product in blocks:
        i, j = np.nonzero(product >= threshold)
        left.append(i + rows.start)
        right.append(j + columns.start)
        cosines.append(product[i, j])
    pairs = Pairs(np.concatenate(left), np.concatenate(right), np.minimum(np.concatenate(cosines), 1.0))
    order = np.lexsort((pairs.right, pairs.left, -pairs.cosines))
    return Pairs(pairs.left[order], pairs.right[order], pairs.cosines[order])


def _triangle(vectors: Floats, advance: Advance) -> Iterator[tuple[slice, slice, Floats]]:
    """Products of all pairs of different rows once; the rest of a block on the diagonal is -2, below any cosine."""
    for rows in _slices(len(vectors), QUERIES_AT_ONCE):
        for columns in _slices(len(vectors), ROWS_AT_ONCE, rows.start):
            product = vectors[rows] @ vectors[columns].T
            if columns.start < rows.stop:
                later = np.arange(columns.start, columns.stop) > np.arange(rows.start, rows.stop)[:, None]
                product = np.where(later, product, np.float32(-2))
            yield rows, columns, product
        advance(rows.stop - rows.start)


def _rectangle(vectors: Floats, other: Floats, advance: Advance) -> Iterator[tuple[slice, slice, Floats]]:
    for rows in _slices(len(vectors), QUERIES_AT_ONCE):
        for columns in _slices(len(other), ROWS_AT_ONCE):
            yield rows, columns, vectors[rows] @ other[columns].T
        advance(rows.stop - rows.start)


def _slices(n: int, size: int, start: int = 0) -> Iterator[slice]:
    for first in range(start, n, size):
        yield slice(first, min(first + size, n))
