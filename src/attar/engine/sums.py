"""Weighted sums of rows, sequence by sequence: all that a static model computes, and the end of every other one."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from attar.engine.kernels import compiled_kernels
from attar.engine.threads import usual_threads
from attar.types import Floats, Ints

_WORTHWHILE = 100_000  # multiplications that other threads can help with
_RUN = 128  # rows added up in float32 before the sum goes to the others, in float64


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
    """By scipy, in runs as in _sums.c: a long sequence keeps its digits, and each has the same sum in any company."""
    from scipy.sparse import csr_array

    at = np.arange(len(table)) if rows is None else rows
    if not offsets[-1] == len(weights) == len(at):
        raise ValueError(f"{len(weights)} weights and {len(offsets) - 1} sums do not fit {offsets[-1]} rows")
    outside = (at < 0) | (at >= len(table))
    if outside.any():
        raise IndexError(f"row {at[outside.argmax()]} of a table of {len(table)} rows")
    n_runs = np.maximum(-(-np.diff(offsets) // _RUN), 1)
    first = np.cumsum(n_runs) - n_runs  # (N,): where each sequence's runs begin
    starts = np.repeat(offsets[:-1] - first * _RUN, n_runs) + np.arange(n_runs.sum()) * _RUN
    sums: Floats = csr_array((weights, at, np.append(starts, offsets[-1])), shape=(len(starts), len(table))) @ table
    if len(starts) == len(n_runs):
        return sums
    with np.errstate(over="ignore"):
        return np.add.reduceat(sums, first, axis=0, dtype=np.float64).astype(np.float32)
