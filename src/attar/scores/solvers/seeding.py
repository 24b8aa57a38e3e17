"""k-means++: starting centres far apart, for several initialisations at once."""

from __future__ import annotations

import numpy as np

from attar.engine.byte_rows import ByteRows
from attar.types import Doubles, Floats, Ints


def spread_seeds(
    rows: Floats, k: int, n_init: int, random: np.random.Generator, held: ByteRows | None = None
) -> Floats:
    """Rows drawn by their squared distance to those drawn so far, the best of a few trials each time.

    `held` are the same rows as bytes, where the compiled kernels are there. Shape: rows (N, D), result (n_init, K, D)
    """
    n_rows = len(rows)
    n_trials = 2 + int(np.log(k))  # as scikit-learn
    squares = np.einsum("nd,nd->n", rows, rows)
    chosen = np.empty((n_init, k), dtype=np.int64)
    chosen[:, 0] = random.integers(n_rows, size=n_init)
    distances = np.empty((n_init, 1, n_rows), dtype=np.float32)  # to the nearest centre so far
    nothing = np.full((n_init, n_rows), np.inf, dtype=np.float32)
    _leave(rows, squares, chosen[:, :1], nothing, distances, held)
    nearest = distances[:, 0]
    left = np.empty((n_init, n_trials, n_rows), dtype=np.float32)
    running = np.empty((n_init, n_rows))
    for step in range(1, k):
        np.cumsum(nearest, axis=1, dtype=np.float64, out=running)
        targets = random.random((n_init, n_trials)) * running[:, -1:]
        trials = np.stack([np.searchsorted(sums, wanted) for sums, wanted in zip(running, targets, strict=True)])
        trials = np.minimum(trials, n_rows - 1)  # (n_init, n_trials)
        best = _leave(rows, squares, trials, nearest, left, held).argmin(axis=1)
        for one, trial in enumerate(best):
            chosen[one, step] = trials[one, trial]
            nearest[one] = left[one, trial]
    return rows[chosen]


def _leave(
    rows: Floats, squares: Floats, trials: Ints, nearest: Floats, left: Floats, held: ByteRows | None
) -> Doubles:
    """Squared distances to the nearest centre if each trial were one, into `left`; their sums.

    Shape: trials (n_init, T), nearest (n_init, N), left (n_init, T, N) -> (n_init, T)
    """
    if held is not None:
        return held.spread(rows[trials], nearest, left)
    points = trials.ravel()
    flat = left.reshape(len(points), len(rows))
    np.matmul(rows[points], rows.T, out=flat)
    flat *= -2
    flat += squares
    flat += squares[points, None]
    np.maximum(flat, 0, out=flat)
    np.minimum(left, nearest[:, None, :], out=left)
    sums: Doubles = left.sum(axis=2, dtype=np.float64)
    return sums
