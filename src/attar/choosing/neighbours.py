"""Nearest neighbours of texts, and how far two recipes agree about them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attar.types import Doubles, Floats, Ints


def cosine_matrix(units: Floats) -> Floats:
    """Cosines of all texts with all, without themselves (-inf). Shape: (N, D) of length 1 -> (N, N)"""
    cosines: Floats = units @ units.T
    np.fill_diagonal(cosines, -np.inf)
    return cosines


def nearest(cosines: Floats, k: int) -> Ints:
    """The k nearest texts of each, the nearest first; of equals the first. Shape: (N, N) -> (N, k)"""
    k = min(k, len(cosines) - 1)
    near = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
    order = np.lexsort((near, -np.take_along_axis(cosines, near, 1)), axis=1)
    return np.take_along_axis(near, order, 1)


def overlaps(lists: Sequence[Ints], n_texts: int) -> Doubles:
    """The share of neighbours that each two recipes have in common. Shape: R times (N, k) -> (R, R)"""
    marks = np.zeros((len(lists), n_texts * n_texts), dtype=np.float32)
    rows = np.arange(n_texts)[:, None] * n_texts
    for r, near in enumerate(lists):
        marks[r, (rows + near).ravel()] = 1
    shared = (marks @ marks.T).astype(np.float64)
    shares: Doubles = shared / max(1, n_texts * lists[0].shape[1])
    return shares
