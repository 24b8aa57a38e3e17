from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.decomposition import PCA

from attar.engine.threads import usual_threads
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


def test_few_axes_are_the_first_of_all():
    rng = np.random.default_rng(1)
    turn = np.linalg.qr(rng.standard_normal((80, 80)))[0]
    moments = Moments.of((rng.standard_normal((500, 80)) * np.geomspace(1, 1e-3, 80)) @ turn + 1e4)
    few, all_axes = principal_axes(moments, 10), principal_axes(moments, 80)
    np.testing.assert_allclose(few[1], all_axes[1][:10], rtol=1e-11)
    np.testing.assert_allclose(few[0], all_axes[0][:, :10], atol=1e-10)


def test_few_axes_of_equal_variances():
    # three directions of variance 9, the rest of variance 1: whichever are found must span these three; of these
    # very numbers LAPACK's bisection finds one alone
    turn = np.linalg.qr(np.random.default_rng(2).standard_normal((64, 64)))[0]
    scatter = 99.0 * (turn * np.where(np.arange(64) < 3, 9.0, 1.0)) @ turn.T
    axes, variances = principal_axes(Moments(100, np.zeros(64), (scatter + scatter.T) / 2), 5)
    np.testing.assert_allclose(variances, [9, 9, 9, 1, 1], rtol=1e-12)
    np.testing.assert_allclose(axes.T @ axes, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(axes[:, :3] @ axes[:, :3].T, turn[:, :3] @ turn[:, :3].T, atol=1e-12)


def test_few_axes_where_few_vectors_vary():
    x = np.random.default_rng(3).standard_normal((3, 64))  # two directions
    variances = principal_axes(Moments.of(x), 6)[1]
    exact = np.linalg.svd(x - x.mean(axis=0), compute_uv=False)[:2] ** 2 / 2
    np.testing.assert_allclose(variances[:2], exact, rtol=1e-12)
    assert not variances[2:].any()
    assert not principal_axes(Moments.of(np.ones((3, 64))), 2)[1].any()


def test_few_axes_are_the_same_each_time_and_leave_the_threads_as_they_were():
    before = usual_threads()
    moments = Moments.of(np.random.default_rng(4).standard_normal((200, 96)))
    with ThreadPoolExecutor(4) as workers:
        found = list(workers.map(lambda _: principal_axes(moments, 3)[0].tobytes(), range(16)))
    assert len(set(found)) == 1
    assert usual_threads() == before
