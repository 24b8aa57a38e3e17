"""What every score asks of its vectors: one finite row per text."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from attar.errors import DataError, InputError
from attar.types import Doubles

Rows = npt.NDArray[np.floating[Any]]


def checked_rows(vectors: npt.ArrayLike) -> Rows:
    """The vectors as float32 or float64. Shape: (N, D)"""
    rows = np.asarray(vectors)
    if rows.ndim != 2 or 0 in rows.shape:
        raise InputError(f"vectors have the shape {rows.shape}; scores need (texts, dims), with at least one of each")
    if rows.dtype.kind not in "fiu":
        raise InputError(f"vectors hold {rows.dtype}; scores need real numbers: pass float32 or float64")
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float32)
    # A sum is finite only if all its terms are; float64 keeps large float32 values from overflowing.
    bad = np.flatnonzero(~np.isfinite(rows.sum(axis=1, dtype=np.float64)))
    if len(bad):
        raise InputError(
            f"{len(bad)} of {len(rows)} vectors hold NaN or infinity (the first is row {bad[0]}): "
            f"look at the texts or the fitted shapers behind these rows"
        )
    return rows


def rows_of_task(vectors: npt.ArrayLike, name: str, n_texts: int) -> Rows:
    """The vectors of a task, one for each of its texts. Shape: (N, D)"""
    rows = checked_rows(vectors)
    if len(rows) != n_texts:
        raise InputError(f"{len(rows)} vectors for the {n_texts} texts of {name}: embed task.texts, in their order")
    return rows


def check_length(name: str, what: str, given: int, wanted: int) -> None:
    if given != wanted:
        raise DataError(f"{name} has {given} {what} for {wanted} rows: every row needs one")


def check_scores(name: str, scores: Doubles) -> None:
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        raise DataError(f"{name} has the score {scores[bad[0]]} in row {bad[0]}; scores must be finite numbers")
