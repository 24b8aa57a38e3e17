"""Which centre is nearest to each point, for several initialisations; asked again only where it may have changed.

A point knows its margin: by how much farther the second nearest centre is than its own. When centres move, the margin
shrinks by no more than the way of its own centre and the longest way of another one (Hamerly 2010). While it is above
zero, the point stays where it is, and costs nothing. Letters: R initialisations, K centres, N points, D dims.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from attar.engine.byte_rows import ByteRows, Moving
from attar.types import Doubles, Floats, Ints

Labels = npt.NDArray[np.int32]
PRODUCTS_AT_ONCE = 2**20  # numbers in one block of (R, K, points)
ROUNDING = 4e-6  # of |x|^2 + |c|^2: what products of float32 may be wrong by
MOSTLY = 0.5  # of the points: from here on asking all is cheaper than picking them out


class Assignment:
    """The nearest centre of every point; follows centres as they move.

    `held` are the same rows as bytes, where the compiled kernels are there: faster, and the same but for rounding.
    Shape: rows (N, D), labels (R, N), sums (R, K, D) and counts (R, K) of the points of each centre
    """

    def __init__(self, rows: Floats, n_init: int, k: int, held: ByteRows | None = None) -> None:
        self._rows, self._held = rows, held
        self._state = Moving(len(rows), rows.shape[1], n_init, k)
        self.labels: Labels = self._state.labels
        self.sums, self.counts, self._margins = self._state.sums, self._state.counts, self._state.margins
        self._squares: Floats = np.einsum("nd,nd->n", rows, rows) if held is None else held.squares

    def moved(self, active: Ints, ways: Doubles) -> None:
        """Tell how far each centre of these initialisations has gone. Shape: active (A,), ways (A, K)"""
        if ways.shape[1] < 2:
            return
        two = np.partition(ways, -2, axis=1)[:, -2:]
        farthest = np.where(ways == two[:, 1:], two[:, :1], two[:, 1:])  # the longest way of another centre
        self._state.lost[active] += (ways + farthest).astype(np.float32)

    def update(self, active: Ints, centers: Floats) -> Ints:
        """Find the nearest centres of these initialisations; how many points of each have another one than before.

        Shape: active (A,), centers (A, K, D), result (A,)
        """
        if self._held is not None:
            n_moved = self._held.nearest(self._state, active, centers)
        else:
            n_moved = self._update(active, centers)
        self._state.lost[active] = 0
        return n_moved

    def _update(self, active: Ints, centers: Floats) -> Ints:
        before = self.labels[active]
        for one, labels in zip(active, before, strict=True):
            self._margins[one] -= self._state.lost[one][labels]
        asked = ~(self._margins[active] > 0)
        mostly = asked.mean(axis=1) > MOSTLY
        if mostly.any():
            self._ask_all(active[mostly], centers[mostly])
        for one in np.flatnonzero(~mostly):
            self._ask(active[one], centers[one], np.flatnonzero(asked[one]))
        after = self.labels[active]
        self.sums[active] += moved_sums(self._rows, before, after, centers.shape[1])
        for one in active:
            self.counts[one] = np.bincount(self.labels[one], minlength=centers.shape[1])
        n_moved: Ints = np.count_nonzero(after != before, axis=1)
        return n_moved

    def _ask_all(self, active: Ints, centers: Floats) -> None:
        size = max(1, PRODUCTS_AT_ONCE // (len(centers) * centers.shape[1]))
        for start in range(0, len(self._rows), size):
            block = slice(start, start + size)
            labels, margins = two_nearest(self._rows[block], self._squares[block], centers)
            self.labels[active, block], self._margins[active, block] = labels, margins

    def _ask(self, one: np.int64, centers: Floats, points: Ints) -> None:
        size = max(1, PRODUCTS_AT_ONCE // max(len(centers), self._rows.shape[1]))
        for start in range(0, len(points), size):
            some = points[start : start + size]
            labels, margins = two_nearest(self._rows.take(some, axis=0), self._squares[some], centers[None])
            self.labels[one, some], self._margins[one, some] = labels[0], margins[0]


def two_nearest(rows: Floats, squares: Floats, centers: Floats) -> tuple[Labels, Floats]:
    """The nearest centre of each row, and how much farther than it the next one is, at least.

    Shape: rows (B, D), squares (B,) their squared lengths, centers (R, K, D), results (R, B)
    """
    n_init, k, n_dims = centers.shape
    flat = centers.reshape(-1, n_dims)
    squared = np.einsum("kd,kd->k", flat, flat)
    near = flat @ rows.T
    near -= squared[:, None] / 2  # x.c - |c|^2 / 2 is largest where |x - c| is smallest
    near = near.reshape(n_init, k, len(rows))
    best, second = _two_largest(near)
    labels = _first_place(near == best[:, None])
    gap = best - second
    gap -= ROUNDING * (squares + squared.max())
    with np.errstate(invalid="ignore"):  # a single centre has no second
        both = np.sqrt(np.maximum(squares - 2 * best, 0)) + np.sqrt(np.maximum(squares - 2 * second, 0))
        margins = np.divide(2 * gap, both, out=np.zeros_like(gap), where=both > 0)  # d2 - d1 from their squares
    return labels, margins


def _two_largest(near: Floats) -> tuple[Floats, Floats]:
    """Along the middle axis. Shape: (R, K, B), results (R, B)"""
    best = near[:, 0].copy()
    second = np.full_like(best, -np.inf)
    lesser = np.empty_like(best)
    for one in range(1, near.shape[1]):
        np.minimum(best, near[:, one], out=lesser)
        np.maximum(second, lesser, out=second)
        np.maximum(best, near[:, one], out=best)
    return best, second


def _first_place(found: npt.NDArray[np.bool_]) -> Labels:
    """The first True along the middle axis; argmax there is slow. Shape: (R, K, B), result (R, B)"""
    k = found.shape[1]
    kind: type[np.signedinteger[Any]] = np.int8 if k <= np.iinfo(np.int8).max else np.int32
    places: npt.NDArray[np.signedinteger[Any]] = np.multiply(found, np.arange(k, 0, -1, dtype=kind)[:, None])
    first: Labels = k - places.max(axis=1).astype(np.int32)
    return first


def moved_sums(rows: Floats, before: Labels, after: Labels, k: int) -> Floats:
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
