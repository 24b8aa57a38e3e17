"""Groupings: how texts fall into groups under each candidate, and how far candidates put the same texts together."""

from __future__ import annotations

import numpy as np

from attar.scores.solvers.kmeans import kmeans
from attar.types import Doubles, Floats, Ints

NUMBERS = (2, 3, 5, 8, 12, 20)  # of groups: how many the user has in mind is not known
STARTS = 2  # of k-means


def groupings(units: Floats) -> Ints:
    """The group of each text, for each number of groups. Shape: (N, D) of length 1 -> (G, N)"""
    found = [kmeans(units, k, STARTS).labels for k in NUMBERS if k < len(units)]
    return np.array(found, dtype=np.int64).reshape(-1, len(units))


def shared_groups(groups: Ints, weights: Doubles) -> Doubles:
    """How far each candidate's groups are those of the others: the mean adjusted Rand index over all candidates.

    Candidates count by their weights, which sum to 1. Shape: (R, G, N), (R,) -> (R, G)
    """
    return np.stack([_rand_indices(groups[:, g]) @ weights for g in range(groups.shape[1])], axis=1)


def _rand_indices(labels: Ints) -> Doubles:
    """The adjusted Rand index of each two groupings. Shape: (R, N) -> (R, R)"""
    r, n = labels.shape
    k = int(labels.max()) + 1
    members = np.zeros((r * k, n), dtype=np.float32)
    members[(np.arange(r)[:, None] * k + labels).ravel(), np.tile(np.arange(n), r)] = 1
    common = (members @ members.T).astype(np.float64).reshape(r, k, r, k)
    together = _pairs(common).sum(axis=(1, 3))
    own = np.diagonal(together)
    chance = own[:, None] * own / _pairs(np.float64(n))
    most = (own[:, None] + own) / 2
    indices: Doubles = np.where(most > chance, (together - chance) / np.where(most > chance, most - chance, 1), 1.0)
    return indices


def _pairs(counts: Doubles | np.float64) -> Doubles:
    pairs: Doubles = np.asarray(counts * (counts - 1) / 2)
    return pairs
