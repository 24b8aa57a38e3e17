from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import RobustScaler

from attar.shapers import Robust


def test_by_hand():
    # 0, 1, 2, 3, 100: median 2, quartiles 1 and 3
    x = np.array([[0.0], [1.0], [2.0], [3.0], [100.0]])
    np.testing.assert_array_equal(Robust().fit_transform(x), [[-1.0], [-0.5], [0.0], [0.5], [49.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 9, 1000])
def test_equals_scikit_learn(n: int, dtype: type):
    rng = np.random.default_rng(n)
    x = (rng.standard_normal((n, 40)) * rng.gamma(2, 1, 40) + rng.standard_normal(40)).astype(dtype)
    x[:, 3] = 0.1
    x[: n // 10, 5], x[n // 10 :, 5] = 7.0, 2.0  # quartiles the same, values not
    fresh = rng.standard_normal((20, 40)).astype(dtype)
    expected = RobustScaler().fit(x).transform(fresh)
    # quartiles of two texts may lie close together: the quotient is as exact as the scale is large
    np.testing.assert_allclose(
        Robust().fit(x).transform(fresh), expected, rtol=2e-5 if dtype == np.float32 else 1e-10, atol=1e-6
    )
