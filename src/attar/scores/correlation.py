"""Pearson and Spearman correlation, and their bootstrap over pairs of numbers, all resamples at once.

The same number of pairs, resamples and seed give the same draws: what two recipes reach on the same rows is compared
draw by draw (`attar.scores.comparison`). A series that does not vary ranks nothing: its correlation is 0 here, not NaN.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attar.types import Doubles

RESAMPLES_AT_ONCE = 2**21  # numbers in one (resamples, pairs) array


def pearson(x: Doubles, y: Doubles) -> float:
    return float(_weighted_pearson(x[None], y[None], np.ones((1, len(x))))[0])


def spearman(x: Doubles, y: Doubles) -> float:
    """Pearson of the ranks; equal values share their mean rank."""
    once = np.ones((1, len(x)))
    return pearson(_RanksByCount(x)(once)[0], _RanksByCount(y)(once)[0])


def bootstrap_pearson(x: Doubles, y: Doubles, resamples: int, seed: int) -> Doubles:
    """Shape: (resamples,)"""
    return _bootstrap(lambda counts: _weighted_pearson(x[None], y[None], counts), len(x), resamples, seed)


def bootstrap_spearman(x: Doubles, y: Doubles, resamples: int, seed: int) -> Doubles:
    """Each resample is ranked anew. Shape: (resamples,)

    A resample is how often each pair was drawn. Sorting once tells which pairs come before which, so the ranks within
    every resample are running sums of those counts.
    """
    rank_x, rank_y = _RanksByCount(x), _RanksByCount(y)
    return _bootstrap(lambda counts: _weighted_pearson(rank_x(counts), rank_y(counts), counts), len(x), resamples, seed)


def bootstrap_mean(values: Doubles, resamples: int, seed: int) -> Doubles:
    """Of a score that is a mean over rows, such as accuracy. Shape: (resamples,)"""
    return _bootstrap(lambda counts: counts @ values / len(values), len(values), resamples, seed)


class _RanksByCount:
    """Ranks of values that occur a given number of times each, equal values sharing their mean rank."""

    def __init__(self, values: Doubles) -> None:
        _, self._place, sizes = np.unique(values, return_inverse=True, return_counts=True)
        self._order = np.argsort(self._place, kind="stable")
        self._starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def __call__(self, counts: Doubles) -> Doubles:  # (resamples, pairs) both
        tied = np.add.reduceat(counts[:, self._order], self._starts, axis=1)  # (resamples, distinct values)
        ranks: Doubles = np.cumsum(tied, axis=1) - (tied - 1) / 2
        return ranks[:, self._place]


def _bootstrap(statistic: Callable[[Doubles], Doubles], n_pairs: int, resamples: int, seed: int) -> Doubles:
    random = np.random.default_rng(seed)
    n_at_once = max(1, RESAMPLES_AT_ONCE // n_pairs)
    found = []
    for start in range(0, resamples, n_at_once):
        n = min(n_at_once, resamples - start)
        drawn = random.integers(n_pairs, size=(n, n_pairs)) + np.arange(n)[:, None] * n_pairs
        counts = np.bincount(drawn.ravel(), minlength=n * n_pairs).reshape(n, n_pairs)
        found.append(statistic(counts.astype(np.float64)))
    return np.concatenate(found)


def _weighted_pearson(x: Doubles, y: Doubles, weights: Doubles) -> Doubles:
    """Shape: x, y (R, N) or (1, N); weights (R, N); result (R,)"""
    total = weights.sum(axis=1, keepdims=True)
    x = x - (weights * x).sum(axis=1, keepdims=True) / total
    y = y - (weights * y).sum(axis=1, keepdims=True) / total
    weighted = weights * x
    together = np.einsum("rn,rn->r", weighted, np.broadcast_to(y, weighted.shape))
    spread_x = np.einsum("rn,rn->r", weighted, np.broadcast_to(x, weighted.shape))
    spread_y = np.einsum("rn,rn->r", weights, y * y if len(y) > 1 else np.broadcast_to(y * y, weights.shape))
    scale = np.sqrt(spread_x * spread_y)
    correlation: Doubles = np.divide(together, scale, out=np.zeros_like(scale), where=scale > 0)
    return np.clip(correlation, -1, 1)
