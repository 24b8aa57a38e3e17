"""k-means as scikit-learn does it, all its initialisations together.

The steps are scikit-learn's: k-means++ with local trials, Lloyd's iterations, a tolerance relative to the mean
variance, empty clusters moved to the farthest points, the best of `n_init` results. What differs is the order of work:
initialisations share their pass over the points, each leaves when it has converged, points are asked again only when
their nearest centre may have changed, by bytes where these can tell (`attar.engine.byte_rows`), and sums of clusters
are corrected by the points that moved instead of being added up again. Letters: R initialisations, K clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attar.engine.byte_rows import ByteRows, byte_rows
from attar.errors import DataError, InputError
from attar.scores.rows import Rows
from attar.scores.solvers.assignment import Assignment, Labels
from attar.scores.solvers.seeding import spread_seeds
from attar.types import Doubles, Floats, Ints

NUMBERS_AT_ONCE = 2**20  # in one block of (rows, D)
LARGEST_SQUARE = 1e37  # |x|^2 of a row, below what float32 holds


@dataclass(frozen=True)
class Clusters:
    """The best of the initialisations."""

    labels: Labels  # (N,)
    centers: Floats  # (K, D)
    inertia: float  # sum of squared distances to the own centre
    iterations: int


def kmeans(
    x: Rows,
    k: int,
    n_init: int = 10,
    seed: int | np.random.SeedSequence = 0,
    tol: float = 1e-4,
    max_iter: int = 300,
) -> Clusters:
    """Cluster the rows of x into k clusters. The same seed gives the same clusters. Shape: x (N, D)"""
    if not 1 <= k <= len(x):
        raise DataError(f"{k} clusters of {len(x)} rows: there must be at least 1 and no more than rows")
    if n_init < 1 or max_iter < 1:
        raise InputError(f"n_init={n_init}, max_iter={max_iter}: both must be at least 1")
    mean = x.mean(axis=0, dtype=np.float64).astype(x.dtype)
    rows = np.empty(x.shape, dtype=np.float32)
    np.subtract(x, mean, out=rows, casting="same_kind")  # centred, for products of float32 lose less
    held = byte_rows(rows)
    squares = np.einsum("nd,nd->n", rows, rows) if held is None else held.squares
    if not float(squares.max()) < LARGEST_SQUARE:
        raise InputError(
            f"vectors as large as {np.abs(x).max():.2g} can't be squared in float32: scale them to about 1 first"
        )
    seeds = spread_seeds(rows, k, n_init, np.random.default_rng(seed), held)
    return lloyd(rows, seeds, tol, max_iter, mean, held)


def lloyd(
    rows: Floats, centers: Floats, tol: float, max_iter: int, offset: Doubles | Floats, held: ByteRows | None = None
) -> Clusters:
    """Lloyd's iterations from each of the given centres; the result of the lowest inertia, moved by `offset`.

    `held` are the same rows as bytes, where the compiled kernels are there. Shape: rows (N, D), centers (R, K, D)
    """
    n_init, k, _ = centers.shape
    small = tol * _mean_variance(rows)
    centers = centers.copy()
    nearest = Assignment(rows, n_init, k, held)
    labels, sums, counts = nearest.labels, nearest.sums, nearest.counts
    iterations = np.full(n_init, max_iter)
    active = np.arange(n_init)
    for iteration in range(1, max_iter + 1):
        still = nearest.update(active, centers[active]) == 0
        means = (sums[active] / np.maximum(counts[active], 1)[:, :, None]).astype(np.float32)
        for one in np.flatnonzero((counts[active] == 0).any(axis=1)):
            r = active[one]
            means[one] = _means_without_gaps(rows, sums[r], counts[r], labels[r], centers[r])
        ways = np.sum((means - centers[active]) ** 2, axis=2, dtype=np.float64)
        centers[active] = means
        nearest.moved(active, np.sqrt(ways))
        done = still | (ways.sum(axis=1) <= small)
        iterations[active[done]] = iteration
        active = active[~done]
        if not len(active):
            break
    nearest.update(np.arange(n_init), centers)
    best = int(np.argmax([_gain(*one) for one in zip(centers, sums, counts, strict=True)]))
    moved = (centers[best] + offset).astype(np.float32)
    return Clusters(labels[best], moved, _inertia(rows, centers[best], labels[best]), int(iterations[best]))


def _mean_variance(rows: Floats) -> float:
    """In the mean over dims; `var` would make differences from the means once more."""
    squares = float(np.einsum("nd,nd->n", rows, rows).mean(dtype=np.float64))
    mean = rows.mean(axis=0, dtype=np.float64)
    variance = max(0.0, squares - float(mean @ mean)) / rows.shape[1]
    return float(variance)


def _means_without_gaps(rows: Floats, sums: Doubles, counts: Ints, labels: Labels, centers: Floats) -> Floats:
    """Means of clusters; an empty one takes over the point that lies farthest from its centre. Shape: (K, D)"""
    sums, counts = sums.copy(), counts.copy()
    empty = np.flatnonzero(counts == 0)
    far = np.sum((rows - centers[labels]) ** 2, axis=1)
    for cluster, point in zip(empty, np.argsort(-far, kind="stable")[: len(empty)], strict=True):
        sums[labels[point]] -= rows[point]
        counts[labels[point]] -= 1
        sums[cluster] = rows[point]
        counts[cluster] = 1
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / counts[:, None]
    return np.where(counts[:, None] > 0, means, centers).astype(np.float32)


def _gain(centers: Floats, sums: Doubles, counts: Ints) -> float:
    """By how much the inertia is below the sum of |x|^2, from the sums of clusters alone."""
    return float(2 * np.vdot(centers, sums) - counts @ np.einsum("kd,kd->k", centers, centers, dtype=np.float64))


def _inertia(rows: Floats, centers: Floats, labels: Labels) -> float:
    block = max(1, NUMBERS_AT_ONCE // rows.shape[1])
    starts = range(0, len(rows), block)
    parts = ((rows[s : s + block] - centers[labels[s : s + block]]) ** 2 for s in starts)
    return float(sum(part.sum(dtype=np.float64) for part in parts))
