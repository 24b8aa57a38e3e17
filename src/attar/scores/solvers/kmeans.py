"""k-means as scikit-learn does it, all its initialisations together.

The steps are scikit-learn's: k-means++ with local trials, Lloyd's iterations, a tolerance relative to the mean
variance, empty clusters moved to the farthest points, the best of `n_init` results. What differs is the order of work:
initialisations share matrix products, each leaves when it has converged, points are asked again only when their
nearest centre may have changed, and sums of clusters are corrected by the points that moved instead of being added up
again. Letters: R initialisations, K clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from attar.errors import DataError, InputError
from attar.scores.rows import Rows
from attar.scores.solvers.assignment import Assignment, Labels
from attar.scores.solvers.seeding import spread_seeds
from attar.types import Doubles, Floats

NUMBERS_AT_ONCE = 2**20  # in one block of (rows, D)


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
    mean = x.mean(axis=0, dtype=np.float64)
    rows = np.empty(x.shape, dtype=np.float32)
    np.subtract(x, mean, out=rows, casting="same_kind")  # centred, for products of float32 lose less
    seeds = spread_seeds(rows, k, n_init, np.random.default_rng(seed))
    return lloyd(rows, seeds, tol, max_iter, mean)


def lloyd(rows: Floats, centers: Floats, tol: float, max_iter: int, offset: Doubles) -> Clusters:
    """Lloyd's iterations from each of the given centres; the result of the lowest inertia, moved by `offset`.

    Shape: centers (R, K, D)
    """
    n_init, k, n_dims = centers.shape
    small = tol * float(rows.var(axis=0, dtype=np.float64).mean())
    centers = centers.copy()
    nearest = Assignment(rows, n_init)
    labels = nearest.labels
    sums = np.zeros((n_init, k, n_dims))
    iterations = np.full(n_init, max_iter)
    active = np.arange(n_init)
    for iteration in range(1, max_iter + 1):
        before = labels[active]
        nearest.update(active, centers[active])
        still = (labels[active] == before).all(axis=1)
        sums[active] += _moved_sums(rows, before, labels[active], k)
        means = np.stack([_means(rows, sums[r], labels[r], centers[r]) for r in active])
        ways = np.sum((means - centers[active]) ** 2, axis=2, dtype=np.float64)
        centers[active] = means
        nearest.moved(active, np.sqrt(ways))
        done = still | (ways.sum(axis=1) <= small)
        iterations[active[done]] = iteration
        active = active[~done]
        if not len(active):
            break
    before = labels.copy()
    nearest.update(np.arange(n_init), centers)
    sums += _moved_sums(rows, before, labels, k)
    best = int(np.argmax([_gain(*one) for one in zip(centers, sums, labels, strict=True)]))
    moved = (centers[best] + offset).astype(np.float32)
    return Clusters(labels[best], moved, _inertia(rows, centers[best], labels[best]), int(iterations[best]))


def _moved_sums(rows: Floats, before: Labels, after: Labels, k: int) -> Floats:
    """What points that changed their cluster add to the sums of clusters. Shape: (R, K, D)"""
    n_init = len(before)
    which, point = np.nonzero(before != after)
    came = which * k + after[which, point]
    left = which * k + before[which, point]
    had_one = before[which, point] >= 0
    places = np.concatenate([came, left[had_one]])
    points = np.concatenate([point, point[had_one]])
    signs = np.ones(len(places), dtype=np.float32)
    signs[len(came) :] = -1
    moves = csr_matrix((signs, (places, points)), shape=(n_init * k, len(rows)))
    added: Floats = moves @ rows
    return added.reshape(n_init, k, rows.shape[1])


def _means(rows: Floats, sums: Doubles, labels: Labels, centers: Floats) -> Floats:
    """Means of clusters; an empty one takes over the point that lies farthest from its centre. Shape: (K, D)"""
    counts = np.bincount(labels, minlength=len(sums)).astype(np.float64)
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        sums = sums.copy()
        far = np.sum((rows - centers[labels]) ** 2, axis=1)
        for cluster, point in zip(empty, np.argsort(-far, kind="stable")[: len(empty)], strict=True):
            sums[labels[point]] -= rows[point]
            counts[labels[point]] -= 1
            sums[cluster] = rows[point]
            counts[cluster] = 1
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / counts[:, None]
    return np.where(counts[:, None] > 0, means, centers).astype(np.float32)


def _gain(centers: Floats, sums: Doubles, labels: Labels) -> float:
    """By how much the inertia is below the sum of |x|^2, from the sums of clusters alone."""
    counts = np.bincount(labels, minlength=len(sums))
    return float(2 * np.vdot(centers, sums) - counts @ np.einsum("kd,kd->k", centers, centers, dtype=np.float64))


def _inertia(rows: Floats, centers: Floats, labels: Labels) -> float:
    block = max(1, NUMBERS_AT_ONCE // rows.shape[1])
    starts = range(0, len(rows), block)
    parts = ((rows[s : s + block] - centers[labels[s : s + block]]) ** 2 for s in starts)
    return float(sum(part.sum(dtype=np.float64) for part in parts))
