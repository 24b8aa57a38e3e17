"""Nearest centres that are asked again only where they may have changed, against asking all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.engine.byte_rows import ByteRows
from attar.engine.kernels import compiled_kernels
from attar.scores.solvers import assignment
from attar.scores.solvers.assignment import Assignment, two_nearest


def distances(rows: np.ndarray, centers: np.ndarray) -> np.ndarray:
    return np.sqrt(((rows[:, None].astype(np.float64) - centers) ** 2).sum(axis=2))


def test_by_hand() -> None:
    rows = np.array([[0.0], [4.0], [9.0]], dtype=np.float32)
    centers = np.array([[[1.0], [6.0], [10.0]]], dtype=np.float32)
    labels, margins = two_nearest(rows, (rows**2).sum(axis=1), centers)
    assert labels.tolist() == [[0, 1, 2]]
    np.testing.assert_allclose(margins, [[6 - 1, 3 - 2, 3 - 1]], atol=1e-3)


def test_the_first_of_equal_centres() -> None:
    rows = np.array([[1.0, 2.0]], dtype=np.float32)
    centers = np.array([[[5.0, 5.0], [1.0, 2.0], [1.0, 2.0]]], dtype=np.float32)
    labels, margins = two_nearest(rows, (rows**2).sum(axis=1), centers)
    assert labels.tolist() == [[1]]
    assert margins[0, 0] <= 0  # so that it is asked again


@pytest.mark.parametrize("k", [1, 2, 127, 128, 300])
def test_any_number_of_centres(k: int) -> None:
    random = np.random.default_rng(k)
    rows, centers = random.normal(size=(400, 3)).astype(np.float32), random.normal(size=(2, k, 3)).astype(np.float32)
    labels, _ = two_nearest(rows, (rows**2).sum(axis=1), centers)
    for found, start in zip(labels, centers, strict=True):
        np.testing.assert_array_equal(found, distances(rows, start).argmin(axis=1))


@pytest.mark.parametrize("limit", ["none", "avx2", "all"])
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 45), st.sampled_from([1e-3, 0.05, 1.0]), st.floats(0.1, 100))
def test_it_follows_centres_that_move(limit: str, seed: int, k: int, step: float, size: float) -> None:
    kernels = compiled_kernels(limit)
    if kernels is None and limit != "none":
        pytest.skip("the C kernels are not built, or not for this processor")
    random = np.random.default_rng(seed)
    rows = (random.normal(size=(200, 4)) * size).astype(np.float32)
    centers = rows[random.choice(200, (2, k))]
    held = None if kernels is None else ByteRows(kernels, rows)
    nearest, both = Assignment(rows, 2, k, held), np.arange(2)
    for _ in range(8):
        before = nearest.labels.copy()
        n_moved = nearest.update(both, centers)
        np.testing.assert_array_equal(n_moved, (nearest.labels != before).sum(axis=1))
        one_hot = nearest.labels[:, None] == np.arange(k)[:, None]
        np.testing.assert_array_equal(nearest.counts, one_hot.sum(axis=2))
        np.testing.assert_allclose(nearest.sums, one_hot @ rows.astype(np.float64), atol=1e-4 * size)
        for labels, start in zip(nearest.labels, centers, strict=True):
            far = distances(rows, start) ** 2  # squares: of those rounding is a share of |x|^2
            np.testing.assert_allclose(far[np.arange(200), labels], far.min(axis=1), rtol=1e-4, atol=1e-5 * size**2)
        ways = step * size * random.normal(size=centers.shape) * random.random((2, k, 1))
        moved = (centers + ways).astype(np.float32)
        nearest.moved(both, np.sqrt(((moved - centers) ** 2).sum(axis=2, dtype=np.float64)))
        centers = moved


def test_points_far_from_a_border_are_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    rows = np.concatenate([random.normal(size=(50, 3)), random.normal(size=(50, 3)) + 20]).astype(np.float32)
    centers = np.array([[[0, 0, 0], [20, 20, 20]]], dtype=np.float32)
    nearest, one = Assignment(rows, 1, 2), np.arange(1)
    nearest.update(one, centers)
    asked: list[int] = []

    def counted(rows: np.ndarray, squares: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        asked.append(len(rows))
        return two_nearest(rows, squares, centers)

    monkeypatch.setattr(assignment, "two_nearest", counted)
    nearest.moved(one, np.array([[0.5, 0.5]]))
    nearest.update(one, centers + 0.2)
    assert sum(asked) == 0
