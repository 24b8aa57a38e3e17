from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from attar.shapers import Moments, ZScore


def test_by_hand():
    # first dim: mean 2, squared distances 1 and 1, deviation 1; second: mean 25, deviation 15
    shaper = ZScore().fit([[1.0, 10.0], [3.0, 40.0]])
    np.testing.assert_allclose(shaper.transform([[1.0, 10.0], [4.0, 55.0]]), [[-1.0, -1.0], [2.0, 2.0]], atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_scikit_learn(dtype: type):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal((5000, 9)) * rng.gamma(1, 1, 9) + 20 * rng.standard_normal(9)).astype(dtype)
    expected = StandardScaler().fit_transform(x.astype(np.float64))
    np.testing.assert_allclose(ZScore().fit_transform(x), expected, atol=1e-6 if dtype == np.float32 else 1e-11)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e30, -1e-30])
def test_constant_column_gives_zero_whatever_comes(value: float):
    x = np.random.default_rng(0).standard_normal((10_000, 2)).astype(np.float32)
    x[:, 0] = value
    shaper = ZScore().fit(x)
    assert not shaper.transform(x)[:, 0].any()
    assert not shaper.transform(np.array([[123.0, 1.0]]))[:, 0].any()
    np.testing.assert_allclose(shaper.transform(x)[:, 1].std(), 1, rtol=1e-5)


def test_constant_after_rounding_counts_as_constant():
    # moments that went through a matrix are constant only up to the last bits
    moments = Moments(1000, np.array([3.0, 3.0]), np.array([1000 * (3e-15) ** 2, 1000.0]))
    np.testing.assert_array_equal(ZScore().fit_moments(moments).affine().linear, [0.0, 1.0])


def test_one_text_becomes_zero():
    assert not ZScore().fit_transform([[0.1, -3.7]]).any()
