from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from attar.errors import InputError
from attar.shapers import Whiten


def vectors(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + 10 * rng.standard_normal(d)


def test_by_hand():
    # three texts on a line through (1, 1) along (3, 4), 5 apart: variance 25, so steps of 1; nothing across
    x = np.array([[-2.0, -3.0], [1.0, 1.0], [4.0, 5.0]])
    np.testing.assert_allclose(Whiten().fit_transform(x), [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]], atol=1e-14)


@pytest.mark.parametrize("k", [None, 1, 5])
def test_equals_scikit_learn(k: int | None):
    x, fresh = vectors(300, 12), vectors(40, 12, seed=1)
    expected = PCA(n_components=k, whiten=True, svd_solver="full").fit(x).transform(fresh)
    np.testing.assert_allclose(Whiten(n_components=k).fit(x).transform(fresh), expected, rtol=1e-8, atol=1e-8)


def test_float32_is_white():
    x = (vectors(5000, 20) * np.logspace(-1.5, 1.5, 20)).astype(np.float32)  # as uneven as outlier dims make it
    out = Whiten().fit_transform(x).astype(np.float64)
    np.testing.assert_allclose(out.mean(axis=0), np.zeros(20), atol=1e-6)
    np.testing.assert_allclose(np.cov(out.T), np.eye(20), atol=1e-5)


def test_fewer_texts_than_dims_gives_zeros_where_nothing_varies():
    x = vectors(5, 12)
    shaper = Whiten().fit(x)
    out = shaper.transform(x)
    assert out.shape == (5, 12)
    np.testing.assert_allclose(np.cov(out.T), np.diag([1.0] * 4 + [0.0] * 8), atol=1e-8)
    assert not shaper.transform(vectors(7, 12, seed=1))[:, 4:].any()


def test_repeated_and_constant_columns_give_zeros():
    x = vectors(50, 4)
    x = np.column_stack([x, x[:, 0], np.full(50, 0.1)]).astype(np.float32)
    out = Whiten().fit_transform(x)
    np.testing.assert_allclose(np.cov(out.T), np.diag([1.0] * 4 + [0.0] * 2), atol=1e-5)


def test_float32_rounding_is_not_blown_up():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((400, 6)) @ rng.standard_normal((6, 15))  # six directions in fifteen dims
    noisy = (x * (1 + 1e-6 * rng.standard_normal(x.shape))).astype(np.float32)
    out = Whiten().fit_transform(noisy)
    np.testing.assert_allclose(np.cov(out.T), np.diag([1.0] * 6 + [0.0] * 9), atol=1e-5)


def test_one_text_becomes_zero():
    assert not Whiten().fit_transform(vectors(1, 3)).any()


@pytest.mark.parametrize("bad", [0, -1, 1.5, "2", True])
def test_wrong_number_of_components(bad: object):
    with pytest.raises(InputError, match=r"n_components=.* is not allowed"):
        Whiten(n_components=bad).fit(vectors(5, 3))
