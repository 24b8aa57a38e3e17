from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attar.choosing.neighbours import cosine_matrix, nearest, overlaps


def test_neighbours_worked_out_by_hand() -> None:
    units = np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
    found = nearest(cosine_matrix(units), 1)
    assert found.tolist() == [[1], [2], [1]]  # 0.6 of 0.6 and 0; 0.8 of 0.6 and 0.8; 0.8 of 0 and 0.8


def test_overlaps_worked_out_by_hand() -> None:
    one, other = np.array([[1, 2], [0, 2], [0, 1]]), np.array([[1, 2], [0, 2], [0, 1]])
    assert overlaps([one, other], 3).tolist() == [[1, 1], [1, 1]]
    mixed = overlaps([np.array([[1], [0], [0]]), np.array([[1], [2], [1]])], 3)
    np.testing.assert_allclose(mixed, [[1, 1 / 3], [1 / 3, 1]])


@given(st.integers(3, 30), st.integers(1, 8), st.integers(0, 99))
def test_nearest_equals_a_full_sort(n: int, k: int, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(n, 5)).astype(np.float32)
    cosines = cosine_matrix(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    expected = np.argsort(-cosines, axis=1, kind="stable")[:, : min(k, n - 1)]
    np.testing.assert_array_equal(nearest(cosines, k), expected)
