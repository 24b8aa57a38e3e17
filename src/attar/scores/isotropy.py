"""IsoScore: how evenly vectors use all directions of their space, from 0 (one direction) to 1 (all alike)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attar.errors import InputError
from attar.scores.rows import checked_rows

BLOCK = 4096  # rows turned to float64 at a time


def isoscore(vectors: npt.ArrayLike) -> float:
    """IsoScore of Rudman et al., which depends on the covariance C alone: (tr(C)^2 / |C|_F^2 - 1) / (D - 1).

    Parameters
    ----------
    vectors : array of shape (N, D)
        At least two vectors of at least two dims.

    Returns
    -------
    float
        From 0 (one direction, or all vectors equal) to 1 (all directions evenly).

    Raises
    ------
    InputError
        If there are fewer vectors or dims, or they are not finite.
    """
    rows = checked_rows(vectors)
    n_rows, n_dims = rows.shape
    if n_rows < 2 or n_dims < 2:
        raise InputError(f"IsoScore needs at least 2 vectors of at least 2 dims; these have the shape {rows.shape}")
    mean = rows.mean(axis=0, dtype=np.float64)
    covariance = np.zeros((n_dims, n_dims))
    for start in range(0, n_rows, BLOCK):
        centred = rows[start : start + BLOCK] - mean
        covariance += centred.T @ centred
    total = np.trace(covariance)
    if total == 0:
        return 0.0
    covariance /= total  # its scale does not matter, and squares of large ones could overflow
    return float((1 / np.sum(covariance**2) - 1) / (n_dims - 1))
