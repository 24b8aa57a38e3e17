"""How well a clustering agrees with classes, from the table of how many texts they share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from attar.types import Doubles, Ints


def shared_counts(classes: npt.NDArray[np.integer[Any]], clusters: npt.NDArray[np.integer[Any]]) -> Ints:
    """Texts in each class and cluster. Shape: (classes, clusters)"""
    shape = int(classes.max()) + 1, int(clusters.max()) + 1
    flat = classes.astype(np.int64) * shape[1] + clusters
    return np.bincount(flat, minlength=shape[0] * shape[1]).reshape(shape)


def matched(counts: Ints) -> npt.NDArray[np.bool_]:
    """Which class each cluster stands for, matched one to one as well as can be. Shape: (classes, clusters)"""
    found = np.zeros(counts.shape, dtype=bool)
    found[linear_sum_assignment(counts, maximize=True)] = True
    return found


def matched_accuracy(counts: Ints) -> float:
    """Share of texts that are right when each cluster stands for one class, matched as well as can be."""
    return float(counts[matched(counts)].sum() / counts.sum())


def normalized_mutual_information(counts: Ints) -> float:
    """Mutual information over the mean of the two entropies; 1 where there is but one class and one cluster."""
    joint = counts / counts.sum()
    by_class, by_cluster = joint.sum(axis=1), joint.sum(axis=0)
    entropies = _entropy(by_class) + _entropy(by_cluster)
    if entropies == 0:
        return 1.0
    shared = entropies - _entropy(joint.ravel())
    return max(0.0, 2 * shared / entropies)


def adjusted_rand_index(counts: Ints) -> float:
    """Share of pairs of texts on which both agree, moved so that chance gives 0."""
    together = _pairs(counts.ravel())
    in_class, in_cluster = _pairs(counts.sum(axis=1)), _pairs(counts.sum(axis=0))
    n = float(counts.sum())
    chance = in_class * in_cluster / (n * (n - 1) / 2)
    most = (in_class + in_cluster) / 2
    return 1.0 if most == chance else (together - chance) / (most - chance)


def _pairs(counts: Ints) -> float:
    sizes = counts.astype(np.float64)
    return float(np.sum(sizes * (sizes - 1) / 2))


def _entropy(shares: Doubles) -> float:
    present = shares[shares > 0]
    return float(-np.sum(present * np.log(present)))
