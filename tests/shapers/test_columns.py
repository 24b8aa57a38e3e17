from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.shapers.columns import BLOCK, column_blocks, column_quantiles


def test_by_hand():
    x = np.array([[4.0, 1.0], [0.0, 1.0], [2.0, 1.0]])
    np.testing.assert_array_equal(
        column_quantiles(x, np.array([0.0, 0.25, 0.5, 1.0])), [[0.0, 1.0, 2.0, 4.0], [1.0, 1.0, 1.0, 1.0]]
    )


@pytest.mark.parametrize("d", [1, BLOCK, 2 * BLOCK + 1])
def test_blocks_cover_all_columns_once(d: int):
    assert [i for block in column_blocks(d) for i in range(d)[block]] == list(range(d))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400), st.integers(1, 40), st.integers(1, 50), st.integers(0, 10**6))
def test_equals_numpy_to_the_last_bit_even_with_ties(n, q, distinct, seed):
    x = np.random.default_rng(seed).integers(0, distinct, (n, BLOCK + 1)) / 7
    levels = np.linspace(0, 1, q)
    np.testing.assert_array_equal(column_quantiles(x, levels), np.percentile(x, levels * 100, axis=0).T)
