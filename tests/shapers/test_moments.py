from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from attar.errors import InputError
from attar.shapers import AllButTheTop, Moments, Whiten
from attar.shapers.moments import CHUNK

SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 4.0], [2.0, 4.0]])


def sample(n: int, d: int, seed: int, scale: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return scale * (rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + 3 * rng.standard_normal(d))


def assert_same(a: Moments, b: Moments, rtol: float = 1e-12) -> None:
    assert a.n == b.n
    size = np.sqrt(np.abs(b.scatter).max() / max(b.n, 1)) + np.abs(b.mean).max()
    np.testing.assert_allclose(a.mean, b.mean, rtol=rtol, atol=rtol * size)
    np.testing.assert_allclose(a.scatter, b.scatter, rtol=rtol, atol=rtol * size**2 * max(b.n, 1))


def test_by_hand():
    # corners of a 2 by 4 rectangle: distances from the middle (1, 2) are (±1, ±2)
    moments = Moments.of(SQUARE)
    assert moments.n == 4
    np.testing.assert_array_equal(moments.mean, [1.0, 2.0])
    np.testing.assert_array_equal(moments.scatter, [[4.0, 0.0], [0.0, 16.0]])
    np.testing.assert_array_equal(moments.variance, [1.0, 4.0])
    np.testing.assert_array_equal(moments.covariance(ddof=0), [[1.0, 0.0], [0.0, 4.0]])
    np.testing.assert_allclose(moments.covariance(), [[4 / 3, 0.0], [0.0, 16 / 3]])


def test_merge_by_hand():
    # (0, 0), (2, 0) and (0, 4), (2, 4): means 4 apart in the second dim, so 4^2 * 2 * 2 / 4 = 16 between them
    merged = Moments.of(SQUARE[:2]).merge(Moments.of(SQUARE[2:]))
    assert_same(merged, Moments.of(SQUARE))
    assert merged.scatter[1, 1] == 16.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 7, CHUNK, 2 * CHUNK + 3])
def test_equals_numpy_across_chunks(n: int, dtype: type):
    x = sample(n, 4, seed=n).astype(dtype)
    moments, exact = Moments.of(x), x.astype(np.float64)
    np.testing.assert_allclose(moments.mean, exact.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(moments.variance, exact.var(axis=0), rtol=1e-10, atol=1e-14)
    if n > 1:
        np.testing.assert_allclose(moments.covariance(), np.cov(exact.T), rtol=1e-10, atol=1e-14)


def test_diagonal_is_the_diagonal():
    x = sample(50, 6, seed=0)
    np.testing.assert_allclose(Moments.of(x, diagonal=True).scatter, np.diagonal(Moments.of(x).scatter), rtol=1e-13)
    np.testing.assert_array_equal(Moments.of(x).diagonal().scatter, np.diagonal(Moments.of(x).scatter))


def test_constant_column_has_exactly_no_variance():
    x = sample(3 * CHUNK, 3, seed=0).astype(np.float32)
    x[:, 1] = 0.1
    moments = Moments.of(x)
    assert moments.mean[1] == np.float64(np.float32(0.1))
    assert not moments.scatter[1].any()


def test_far_from_the_origin_keeps_its_variance():
    x = sample(1000, 3, seed=1)
    near, far = Moments.of(x), Moments.of(x + 1e8)
    np.testing.assert_allclose(far.scatter, near.scatter, rtol=1e-6, atol=1e-4)


parts = st.lists(st.integers(0, 30), min_size=3, max_size=3)


@settings(max_examples=40, deadline=None)
@given(parts, st.integers(1, 6), st.integers(0, 10**6), st.sampled_from([1e-6, 1.0, 1e6]), st.booleans())
def test_merge_is_associative_and_equals_the_whole(sizes, d, seed, scale, diagonal):
    x = sample(sum(sizes), d, seed, scale)
    a, b, c = (Moments.of(part, diagonal=diagonal) for part in np.split(x, np.cumsum(sizes)[:-1]))
    whole = Moments.of(x, diagonal=diagonal)
    assert_same(a.merge(b).merge(c), whole)
    assert_same(a.merge(b.merge(c)), whole)
    assert_same(c.merge(a).merge(b), whole)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 20), st.integers(1, 12), st.integers(0, 10**6))
def test_eigenvalues_are_not_negative_beyond_rounding(n, d, seed):
    x = sample(n, d, seed).astype(np.float32)
    merged = Moments.of(x[:1])
    for row in range(1, n):
        merged = merged.merge(Moments.of(x[row : row + 1]))
    values = np.linalg.eigvalsh(merged.covariance())
    assert values.min() >= -1e-13 * max(values.max(), 1e-300)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 20), st.integers(1, 5), st.integers(1, 5), st.integers(0, 10**6))
def test_affine_is_the_moments_of_the_mapped_vectors(n, d, k, seed):
    x, rng = sample(n, d, seed), np.random.default_rng(seed + 1)
    matrix, offset, scale, shift = (rng.standard_normal(shape) for shape in [(d, k), (k,), (d,), (d,)])
    assert_same(Moments.of(x).affine(matrix, offset), Moments.of(x @ matrix + offset), rtol=1e-9)
    for diagonal in (False, True):
        mapped = Moments.of(x * scale + shift, diagonal=diagonal)
        assert_same(Moments.of(x, diagonal=diagonal).affine(scale, shift), mapped, rtol=1e-9)


def test_affine_by_hand():
    moved = Moments.of(SQUARE).affine(np.array([[1.0], [10.0]]), np.array([5.0]))  # x + 10 y + 5
    np.testing.assert_array_equal(moved.mean, [26.0])
    np.testing.assert_array_equal(moved.scatter, [[4.0 + 100 * 16.0]])


def test_none_and_one():
    none = Moments.of(np.empty((0, 2), dtype=np.float32))
    assert none.n == 0
    assert_same(none.merge(Moments.of(SQUARE)), Moments.of(SQUARE))
    assert_same(Moments.of(SQUARE).merge(none), Moments.of(SQUARE))
    assert none.merge(none).n == 0
    np.testing.assert_array_equal(Moments.of(SQUARE[:1]).covariance(), np.zeros((2, 2)))


def test_merging_with_variances_alone_keeps_variances_alone():
    merged = Moments.of(SQUARE[:2]).merge(Moments.of(SQUARE[2:], diagonal=True))
    np.testing.assert_array_equal(merged.scatter, [4.0, 16.0])


def test_misfits_are_refused():
    with pytest.raises(InputError, match="2 and of 3 dims"):
        Moments.of(SQUARE).merge(Moments.of(np.ones((1, 3))))
    with pytest.raises(InputError, match="keep only variances"):
        Moments.of(SQUARE, diagonal=True).covariance()
    with pytest.raises(InputError, match="keep only variances"):
        Moments.of(SQUARE, diagonal=True).affine(np.eye(2), np.zeros(2))
    with pytest.raises(InputError, match=r"\(2,\) and a scatter of shape \(3, 3\)"):
        Moments(1, np.zeros(2), np.zeros((3, 3)))


@pytest.mark.parametrize("n", [3, 700, 5000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_badly_scaled_dims_keep_their_digits(n, dtype):
    """Means up to a million times the deviations, and sizes from 1e-6 to 1e6: against sums in longer numbers."""
    rng = np.random.default_rng(0)
    X = ((rng.normal(size=(n, 12)) + np.logspace(0, 6, 12)) * np.logspace(6, -6, 12)).astype(dtype)
    X[0] *= 3  # far from all others
    long = X.astype(np.longdouble)
    centred = long - long.mean(axis=0)
    wanted = (centred.T @ centred).astype(np.float64)
    sizes = np.sqrt(np.outer(np.diagonal(wanted), np.diagonal(wanted)))
    found = Moments.of(X)
    assert (np.abs(found.scatter - wanted) / sizes).max() < 1e-13
    np.testing.assert_allclose(found.mean, long.mean(axis=0).astype(np.float64), rtol=1e-15)
    np.testing.assert_allclose(Moments.of(X, diagonal=True).scatter, np.diagonal(wanted), rtol=1e-12)


def uneven(spread: float, *, n: int = 6000, d: int = 30, far: float = 1000.0, size: float = 1.0) -> np.ndarray:
    """Deviations from 1 to `spread` along directions that no dim is, far from 0, drifting."""
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
    made = (rng.standard_normal((n, d)) * np.geomspace(1, spread, d)) @ turn + far + np.linspace(0, 1, n)[:, None]
    return (made * size).astype(np.float32)


@pytest.mark.parametrize("size", [1.0, 1e-8, 1e12])
def test_quick_moments_keep_their_digits_where_scikit_learn_loses_them(size: float):
    x = uneven(0.3, size=size)
    quick, exact = Moments.quick(x), Moments.of(x)
    assert quick.rounded
    np.testing.assert_allclose(quick.mean, exact.mean, rtol=1e-7)
    found, wanted = np.linalg.eigvalsh(quick.scatter), np.linalg.eigvalsh(exact.scatter)
    np.testing.assert_allclose(found / wanted[-1], wanted / wanted[-1], atol=1e-7)
    rounded = PCA().fit(x).explained_variance_[::-1] * (len(x) - 1)  # in float32 from sums of squares
    assert np.abs(rounded / wanted - 1).max() > 100 * np.abs(found / wanted - 1).max()


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_quick_moments_of_what_float32_can_not_square(size: float):
    x = uneven(0.5, far=0, size=size)
    np.testing.assert_array_equal(Moments.quick(x).scatter, Moments.of(x).scatter)
    assert not Moments.quick(x).rounded


def test_quick_moments_of_few_and_of_constant_rows():
    assert Moments.quick(np.zeros((0, 3), dtype=np.float32)).n == 0
    same = np.full((3000, 2), 1 / 3, dtype=np.float32)
    assert not Moments.quick(same).scatter.any()


@pytest.mark.parametrize("make", [Whiten, lambda: AllButTheTop(30 - 1)])
def test_where_rounding_would_show_the_fit_is_exact(make):
    x = uneven(1e-3, far=1.0)
    wanted = make().fit_moments(Moments.of(x)).affine()
    np.testing.assert_array_equal(make().fit(x).affine().linear, wanted.linear)
    near = uneven(0.1, far=1.0)
    found, exact = make().fit(near), make().fit_moments(Moments.of(near))
    assert found.moments_.rounded
    np.testing.assert_allclose(found.affine().linear, exact.affine().linear, rtol=1e-4, atol=1e-5)
