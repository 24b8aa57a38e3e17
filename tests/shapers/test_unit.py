from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from attar.shapers import Unit
from attar.shapers.moments import CHUNK


def test_by_hand_without_fit():
    np.testing.assert_allclose(Unit().transform([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]]), [[0.6, 0.8], [0, 0], [0, -1]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_scikit_learn_across_chunks(dtype: type):
    x = np.random.default_rng(0).standard_normal((CHUNK + 10, 6)).astype(dtype)
    np.testing.assert_allclose(Unit().transform(x), normalize(x), rtol=3e-7 if dtype == np.float32 else 1e-14)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e200, 1e300])
def test_sizes_whose_squares_are_no_floats(size: float):
    np.testing.assert_allclose(Unit().transform(np.array([[3 * size, 4 * size]])), [[0.6, 0.8]], rtol=1e-3)
