"""Products of differences from the mean against float64, compiled and not; the same bits by vectors of any width."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.engine import scatter
from attar.engine.kernels import compiled_kernels
from attar.engine.scatter import BLOCK, block_sums

LIMITS = ["none", "avx2", "all"]


def sample(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal((n, d)) * rng.uniform(0.1, 1, d) + 20 * rng.standard_normal(d)).astype(np.float32)


def whole(sums: scatter.BlockSums) -> tuple[np.ndarray, np.ndarray]:
    """Mean and scatter of all rows from those of blocks."""
    mean = sums.sizes @ sums.means / sums.sizes.sum()
    between = sums.means - mean
    return mean, sums.within + between.T @ (between * sums.sizes[:, None])


@pytest.fixture(params=LIMITS)
def limit(request, monkeypatch) -> str:
    if request.param != "none" and compiled_kernels(request.param) is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    monkeypatch.setattr(scatter, "compiled_kernels", lambda: compiled_kernels(request.param))
    return request.param


@pytest.mark.parametrize("d", [1, 7, 48, 50, 100])
@pytest.mark.parametrize("n", [1, 2, BLOCK, BLOCK + 1, 3 * BLOCK - 5])
def test_against_float64(limit, n, d):
    x = sample(n, d)
    exact = x.astype(np.float64)
    mean, found = whole(block_sums(x))
    np.testing.assert_allclose(mean, exact.mean(axis=0), atol=1e-7 * max(exact.std(axis=0).max(), 1e-3))
    wanted = (exact - exact.mean(axis=0)).T @ (exact - exact.mean(axis=0))
    chain = 1e-6 if limit == "none" else 1e-7  # numpy may add up thousands of rows in float32, our own code 128
    np.testing.assert_allclose(found, wanted, atol=chain * max(wanted.max(), 1e-3))
    np.testing.assert_allclose(found, found.T, rtol=1e-12, atol=1e-12 * wanted.max())


def test_by_hand(limit):
    # corners of a 2 by 4 rectangle: distances from the middle (1, 2) are (±1, ±2)
    sums = block_sums(np.array([[0, 0], [2, 0], [0, 4], [2, 4]], dtype=np.float32))
    assert sums.sizes.tolist() == [4]
    assert sums.means.tolist() == [[1, 2]]
    assert sums.within.tolist() == [[4, 0], [0, 16]]


def test_equal_rows_have_exactly_no_scatter(limit):
    assert not block_sums(np.full((1000, 60), 1 / 3, dtype=np.float32)).within.any()


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 1200), st.integers(1, 110), st.integers(1, 3), st.integers(0, 99))
def test_the_same_bits_by_any_vectors_and_threads(n, d, n_threads, seed):
    kernels = [compiled_kernels(limit) for limit in ("avx2", "all")]
    if kernels[0] is None or kernels[1] is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    x = sample(n, d + 3, seed)[:, :d]  # rows that stand apart
    narrow, wide = kernels[0].scatter(x, BLOCK, 1), kernels[1].scatter(x, BLOCK, n_threads)
    for a, b in zip(narrow, wide, strict=True):
        np.testing.assert_array_equal(a, b)
