"""Cosines: by hand, and against scipy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from attar.shapers.cosine import cosines, paired_cosines

A = np.array([[3, 4], [0, 0], [0, 2]], dtype=np.float32)
B = np.array([[4, 3], [1, 1], [0, -1]], dtype=np.float32)


def test_by_hand():
    np.testing.assert_allclose(paired_cosines(A, B), [24 / 25, 0, -1], atol=1e-15)
    np.testing.assert_allclose(cosines(A, B)[0], [24 / 25, 7 / (5 * 2**0.5), -4 / 5], atol=1e-7)
    assert cosines(A, B)[1].tolist() == [0, 0, 0]
    assert (cosines(A, B).dtype, paired_cosines(A, B).dtype) == (np.float32, np.float64)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 5), dims=st.integers(1, 6))
def test_against_scipy(seed, n, dims):
    a, b = np.random.default_rng(seed).normal(size=(2, n, dims))
    wanted = 1 - cdist(a, b, "cosine")
    np.testing.assert_allclose(cosines(a, b), wanted, atol=1e-6)
    np.testing.assert_allclose(paired_cosines(a, b), np.diag(wanted), atol=1e-12)
