"""Nearest centres and seeds by bytes, against floats: never another answer, by vectors of any width and any threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.engine import byte_rows
from attar.engine.byte_rows import ByteRows, Moving
from attar.engine.kernels import compiled_kernels

LIMITS = ["avx2", "all"]


def held_by(limit: str, x: np.ndarray) -> ByteRows:
    kernels = compiled_kernels(limit)
    if kernels is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    return ByteRows(kernels, x)


def squared(x: np.ndarray, centers: np.ndarray) -> np.ndarray:
    return ((x[:, None].astype(np.float64) - centers) ** 2).sum(axis=2)


def sample(n: int, d: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return (random.standard_t(3, size=(n, d)) * random.uniform(0.1, 3, d)).astype(np.float32)


@pytest.mark.parametrize("limit", LIMITS)
def test_by_hand(limit: str) -> None:
    # on a line: centres at 1, 6 and 10, so that borders are at 3.5 and 8
    held = held_by(limit, np.array([[0], [3], [4], [9]], dtype=np.float32))
    moving = Moving(4, 1, 1, 3)
    assert held.nearest(moving, np.array([0]), np.array([[[1.0], [6.0], [10.0]]])).tolist() == [4]
    assert moving.labels.tolist() == [[0, 0, 1, 2]]
    assert moving.sums.ravel().tolist() == [3, 4, 9]
    assert moving.counts.tolist() == [[2, 1, 1]]
    assert (moving.margins[0] <= np.array([6 - 1, 3 - 2, 3 - 2, 3 - 1]) + 1e-6).all()  # never more than it is
    moving.lost[:] = 10
    assert held.nearest(moving, np.array([0]), np.array([[[1.0], [4.0], [10.0]]])).tolist() == [1]  # 3 goes to 4
    assert moving.sums.ravel().tolist() == [0, 7, 9]
    assert moving.counts.tolist() == [[1, 2, 1]]


@pytest.mark.parametrize("limit", LIMITS)
def test_what_trials_leave_by_hand(limit: str) -> None:
    held = held_by(limit, np.array([[0], [1], [5]], dtype=np.float32))
    left = np.empty((1, 2, 3), dtype=np.float32)
    sums = held.spread(np.array([[[1.0], [5.0]]]), np.array([[0, 1, 25]]), left)
    assert left.tolist() == [[[0, 0, 16], [0, 1, 0]]]
    assert sums.tolist() == [[16, 1]]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 700), st.integers(1, 150), st.integers(1, 50), st.integers(1, 3), st.integers(0, 999))
def test_the_same_bits_by_any_vectors_and_threads(n: int, d: int, k: int, n_threads: int, seed: int) -> None:
    """And the nearest centre, but where two are equally near for a float32."""
    x = sample(n, d, seed)
    random = np.random.default_rng(seed)
    centers = x[random.integers(n, size=(2, k))]  # some twice
    trials = x[random.integers(n, size=(2, 3))]
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for limit, threads in (("avx2", 1), ("all", n_threads)):
            held, moving = held_by(limit, x), Moving(n, d, 2, k)
            patch.setattr(byte_rows, "usual_threads", lambda threads=threads: threads)
            held.nearest(moving, np.arange(2), centers)
            nearest, left = np.full((2, n), np.inf, dtype=np.float32), np.empty((2, 3, n), dtype=np.float32)
            sums = held.spread(trials, nearest, left)
            found.append((moving.labels, moving.sums, moving.counts, left, sums))
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)
    labels, _, counts, left, sums = found[0]
    largest = (x.astype(np.float64) ** 2).sum(axis=1).max()
    for start in range(2):
        far = squared(x, centers[start])
        np.testing.assert_allclose(far[np.arange(n), labels[start]], far.min(axis=1), atol=1e-5 * largest)
        np.testing.assert_array_equal(counts[start], np.bincount(labels[start], minlength=k))
        np.testing.assert_allclose(left[start], squared(x, trials[start]).T, atol=1e-5 * largest)
    np.testing.assert_allclose(sums, left.sum(axis=2, dtype=np.float64))


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("scale", [0.0, 1e-15, 1e-3, 1e12])
def test_any_scale(limit: str, scale: float) -> None:
    x = sample(100, 9, 0) * np.float32(scale)
    held, moving = held_by(limit, x), Moving(100, 9, 1, 7)
    held.nearest(moving, np.array([0]), x[None, :7])
    far = squared(x, x[:7])
    np.testing.assert_allclose(far[np.arange(100), moving.labels[0]], far.min(axis=1), atol=1e-4 * scale**2)


@pytest.mark.parametrize("limit", LIMITS)
def test_the_first_of_equal_centres(limit: str) -> None:
    x = sample(50, 20, 1)
    held, moving = held_by(limit, x), Moving(50, 20, 1, 3)
    held.nearest(moving, np.array([0]), np.stack([x[0] + 100, x[1], x[1]])[None])
    assert set(moving.labels[0]) == {1}
    assert (moving.margins[0] <= 0).all()  # so that they are asked again


def test_what_is_left_must_fit() -> None:
    held = held_by("all", sample(10, 3, 0))
    with pytest.raises(ValueError, match=r"needs \(1, 2, 10\) float32"):
        held.spread(np.zeros((1, 2, 3)), np.zeros((1, 10)), np.empty((1, 2, 9), dtype=np.float32))


def test_more_dims_than_sums_have_room_for() -> None:
    if compiled_kernels() is None:
        pytest.skip("the C kernels are not built, not allowed, or too new for this processor")
    assert byte_rows.byte_rows(np.zeros((1, 2**16), dtype=np.float32)) is not None
    assert byte_rows.byte_rows(np.zeros((1, 2**16 + 1), dtype=np.float32)) is None
