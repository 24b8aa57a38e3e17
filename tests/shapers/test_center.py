from __future__ import annotations

import numpy as np
from sklearn.preprocessing import StandardScaler

from attar.shapers import Center


def test_by_hand():
    shaper = Center().fit([[1.0, 10.0], [3.0, 40.0]])
    np.testing.assert_array_equal(shaper.transform([[1.0, 10.0], [0.0, 0.0]]), [[-1.0, -15.0], [-2.0, -25.0]])


def test_equals_scikit_learn():
    x = np.random.default_rng(0).standard_normal((300, 7)) + 5
    np.testing.assert_allclose(Center().fit_transform(x), StandardScaler(with_std=False).fit_transform(x), atol=1e-13)


def test_one_text_becomes_zero():
    assert not Center().fit_transform(np.array([[0.1, -3.7]], dtype=np.float32)).any()
