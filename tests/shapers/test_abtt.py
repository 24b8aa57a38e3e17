from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from attar.errors import InputError
from attar.shapers import AllButTheTop


def vectors(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + 10 * rng.standard_normal(d)


def test_by_hand():
    # around (5, 5): ±4 in the first dim, ±1 in the second; the first goes
    x = np.array([[9.0, 5.0], [1.0, 5.0], [5.0, 6.0], [5.0, 4.0]])
    np.testing.assert_allclose(
        AllButTheTop(n=1).fit_transform(x), [[0.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, -1.0]], atol=1e-14
    )


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_is_centring_minus_the_projection_on_the_top_components(n: int):
    x, fresh = vectors(200, 8), vectors(30, 8, seed=1)
    centred = fresh - x.mean(axis=0)
    top = PCA(n_components=8, svd_solver="full").fit(x).components_[:n]  # (n, D)
    expected = centred - (centred @ top.T) @ top
    np.testing.assert_allclose(AllButTheTop(n=n).fit(x).transform(fresh), expected, atol=1e-10)


def test_leaves_directions_without_variance_alone():
    x = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])  # only the first dim varies
    shaper = AllButTheTop(n=2).fit(x)
    np.testing.assert_allclose(shaper.transform([[7.0, 3.0, 4.0]]), [[0.0, 3.0, 4.0]], atol=1e-15)


def test_one_text_is_only_centred():
    shaper = AllButTheTop().fit([[1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(shaper.transform([[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]]), [[0, 0, 0], [1, 0, -1]])


@pytest.mark.parametrize("bad", [-1, 1.5, "2", True, None])
def test_wrong_number(bad: object):
    with pytest.raises(InputError, match=r"n=.* is not allowed"):
        AllButTheTop(n=bad).fit(vectors(5, 3))


def test_more_than_there_are():
    with pytest.raises(InputError, match=r"n=4 .* n_features=3; give at most 3"):
        AllButTheTop(n=4).fit(vectors(5, 3))
