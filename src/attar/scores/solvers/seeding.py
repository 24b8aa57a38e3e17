"""k-means++: starting centres far apart, for several initialisations at once."""

from __future__ import annotations

import numpy as np

from attar.types import Floats


def spread_seeds(rows: Floats, k: int, n_init: int, random: np.random.Generator) -> Floats:
    """Rows drawn by their squared distance to those drawn so far, the best of a few trials each time.

    Shape: (n_init, K, D)
    """
    n_rows = len(rows)
    n_trials = 2 + int(np.log(k))  # as scikit-learn
    squares = np.einsum("nd,nd->n", rows, rows)
    chosen = np.empty((n_init, k), dtype=np.int64)
    chosen[:, 0] = random.integers(n_rows, size=n_init)
    distances = _squared_distances(rows, squares, chosen[:, 0])  # (n_init, N) to the nearest centre so far
    every = np.arange(n_init)
    for step in range(1, k):
        running = np.cumsum(distances, axis=1, dtype=np.float64)
        targets = random.random((n_init, n_trials)) * running[:, -1:]
        trials = np.stack([np.searchsorted(sums, wanted) for sums, wanted in zip(running, targets, strict=True)])
        trials = np.minimum(trials, n_rows - 1)  # (n_init, n_trials)
        left = _squared_distances(rows, squares, trials.ravel()).reshape(n_init, n_trials, n_rows)
        np.minimum(left, distances[:, None, :], out=left)
        best = left.sum(axis=2, dtype=np.float64).argmin(axis=1)
        chosen[:, step] = trials[every, best]
        distances = left[every, best]
    return rows[chosen]


def _squared_distances(rows: Floats, squares: Floats, points: np.typing.NDArray[np.int64]) -> Floats:
    """Shape: (points, N)"""
    distances: Floats = rows[points] @ rows.T
    distances *= -2
    distances += squares
    distances += squares[points, None]
    return np.maximum(distances, 0, out=distances)
