from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD

from attar.errors import InputError
from attar.shapers import CommonComponents, Moments, parse


def vectors(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + 2 * rng.standard_normal(d)


def test_by_hand():
    x = np.array([[3.0, 1.0], [3.0, -1.0]])  # X^T X = diag(18, 2): the first dim goes, though it does not vary
    np.testing.assert_allclose(CommonComponents(1).fit_transform(x), [[0.0, 1.0], [0.0, -1.0]], atol=1e-14)


def test_a_share_of_each_by_hand():
    x = np.array([[3.0, 1.0, 0.0], [3.0, -1.0, 0.0]])  # shares 0.9 and 0.1 of the two
    (piecewise,) = parse("piecewise:2")
    np.testing.assert_allclose(piecewise.fit_transform(x), [[0.3, 0.9, 0.0], [0.3, -0.9, 0.0]], atol=1e-14)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_is_what_a_truncated_svd_removes(n: int):
    x, fresh = vectors(200, 8), vectors(30, 8, seed=1)
    svd = TruncatedSVD(n, algorithm="arpack", random_state=0).fit(x)
    top, share = svd.components_, svd.singular_values_**2 / (svd.singular_values_**2).sum()
    expected = fresh - (fresh @ top.T) @ top
    np.testing.assert_allclose(CommonComponents(n).fit(x).transform(fresh), expected, atol=1e-8)
    expected = fresh - (fresh @ top.T * share) @ top
    np.testing.assert_allclose(CommonComponents(n, weighted=True).fit(x).transform(fresh), expected, atol=1e-8)


def test_learns_in_parts():
    x = vectors(100, 6)
    whole = CommonComponents(2).fit(x)
    merged = Moments.of(x[:30]).merge(Moments.of(x[30:]))
    np.testing.assert_allclose(CommonComponents(2).fit_moments(merged).transform(x), whole.transform(x), atol=1e-10)


def test_directions_that_are_not_there_stay():
    shaper = CommonComponents(2).fit([[2.0, 0.0, 0.0], [4.0, 0.0, 0.0]])
    np.testing.assert_allclose(shaper.transform([[7.0, 3.0, 4.0]]), [[0.0, 3.0, 4.0]], atol=1e-14)
    assert not CommonComponents(1, weighted=True).fit_transform(np.zeros((3, 2))).any()


@pytest.mark.parametrize("bad", [0, -1, 1.5, "2", True, None])
def test_wrong_number(bad: object):
    with pytest.raises(InputError, match=r"n=.* is not allowed"):
        CommonComponents(n=bad).fit(vectors(5, 3))


def test_names():
    assert [s.name for s in parse("common,common:10,piecewise:5,piecewise:5@background")] == [
        "common:1",
        "common:10",
        "piecewise:5",
        "piecewise:5@background",
    ]
    with pytest.raises(InputError, match="common:3 would remove all 3 dims"):
        parse("common:3")[0].check_width(3)
