"""Weighted sums of rows, sequence by sequence: all that a static model computes, and the end of every other one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from attar.engine.kernels import compiled_kernels
from attar.engine.threads import usual_threads
from attar.types import Floats, Ints

_MANY = 32  # sequences; for fewer the import of scipy takes longer
_WORTHWHILE = 100_000  # multiplications that other threads can help with
_PIECE = 4096  # rows multiplied at once


def sum_rows(
    table: Floats,
    rows: npt.NDArray[np.integer[Any]] | None,
    weights: Floats,
    offsets: Ints,
    out: Floats | None = None,
    threads: int | None = 1,
) -> Floats:
    """The weighted sum of each sequence's rows of a table; without `rows`, its rows as they stand.

    Into `out` if it is given, whose rows may stand apart. `threads`: None for as many as products would take.
    Shape: (V, D), (T,), (T,), (N + 1,) -> (N, D)
    """
    if out is None:
        out = np.empty((len(offsets) - 1, table.shape[1]), dtype=np.float32)
    compiled = compiled_kernels()
    if compiled is not None and table.dtype == np.float32 and out.strides[1] == out.itemsize:
        small = len(weights) * table.shape[1] < _WORTHWHILE
        n_threads = 1 if small else usual_threads() if threads is None else threads
        compiled.sum_rows(np.ascontiguousarray(table), rows, weights, offsets, out, n_threads)
    else:
        out[:] = _sums(table, rows, weights, offsets)
    return out


def pool_rows(
    table: Floats,
    rows: npt.NDArray[np.integer[Any]] | None,
    token_weights: Floats,
    offsets: Ints,
    out: Floats | None = None,
    threads: int | None = 1,
) -> Floats:
    """The same for several weightings. Shape: (V, D), (T,), (A, T), (N + 1,) -> (A, N, D)"""
    if out is None:
        out = np.empty((len(token_weights), len(offsets) - 1, table.shape[1]), dtype=np.float32)
    for weights, into in zip(token_weights, out, strict=True):
        sum_rows(table, rows, weights, offsets, into, threads)
    return out


def _sums(table: Floats, rows: npt.NDArray[np.integer[Any]] | None, weights: Floats, offsets: Ints) -> Floats:
    """By numpy, or for many sequences by scipy. Memory is bounded for any length."""
    n, at = len(offsets) - 1, np.arange(len(weights)) if rows is None else rows
    if n > _MANY:
        from scipy.sparse import csr_array

        sums: Floats = csr_array((weights, at, offsets), shape=(n, len(table))) @ table
        return sums
    out = np.zeros((n, table.shape[1]), dtype=np.float64)
    for sequence, (start, end) in enumerate(pairwise(offsets.tolist())):
        for a in range(start, end, _PIECE):
            piece = slice(a, min(a + _PIECE, end))
            out[sequence] += weights[piece].astype(np.float64) @ table[at[piece]]
    return out.astype(np.float32)
