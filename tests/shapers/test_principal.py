from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from attar.shapers import Moments
from attar.shapers.principal import principal_axes


def test_by_hand():
    # along (-1, -1) by ±2 sqrt 2 and across by ±sqrt 2: variances 16/3 and 4/3, of 4 vectors
    moments = Moments.of(np.array([[-2.0, -2.0], [2.0, 2.0], [-1.0, 1.0], [1.0, -1.0]]))
    axes, variances = principal_axes(moments, 2)
    np.testing.assert_allclose(variances, [16 / 3, 4 / 3])
    half = np.sqrt(0.5)
    np.testing.assert_allclose(np.abs(axes), np.full((2, 2), half))
    np.testing.assert_allclose(axes[:, 0], [half, half])  # turned to be positive


@pytest.mark.parametrize("n", [1, 4, 9])
def test_equals_scikit_learn_signs_and_all(n: int):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((100, 9)) @ rng.standard_normal((9, 9)) + 4
    axes, variances = principal_axes(Moments.of(x), n)
    pca = PCA(n_components=n, svd_solver="full").fit(x)
    np.testing.assert_allclose(variances, pca.explained_variance_, rtol=1e-10)
    np.testing.assert_allclose(axes.T, pca.components_, atol=1e-9)


def test_noise_counts_as_nothing():
    x = np.random.default_rng(0).standard_normal((4, 9))  # four vectors span three directions
    variances = principal_axes(Moments.of(x), 9)[1]
    assert (variances[:3] > 0.1).all()
    assert not variances[3:].any()


def test_none_asked_none_given():
    axes, variances = principal_axes(Moments.of(np.ones((2, 3))), 0)
    assert axes.shape == (3, 0)
    assert variances.shape == (0,)
