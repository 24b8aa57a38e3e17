"""Weighted sums of rows against float64, compiled and not; the same to the last bit in any company."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attar.engine import sums
from attar.engine.kernels import compiled_kernels
from attar.engine.sums import pool_rows, sum_rows


@pytest.fixture(params=["compiled", "numpy"])
def way(request, monkeypatch) -> str:
    if request.param == "numpy":
        monkeypatch.setattr(sums, "compiled_kernels", lambda: None)
    elif compiled_kernels() is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    return request.param


def sample(lengths: list[int], dims: int, seed: int):
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    table = rng.normal(size=(50, dims)).astype(np.float32)
    rows = rng.integers(0, 50, offsets[-1]).astype(np.int32)
    return table, rows, rng.uniform(0, 1, offsets[-1]).astype(np.float32), offsets


def exact(table, rows, weights, offsets) -> np.ndarray:
    weighed = table[rows].astype(np.float64) * weights[:, None]
    return np.array([weighed[a:b].sum(axis=0) for a, b in pairwise(offsets)])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=50), st.sampled_from([1, 8, 20, 256, 300]), st.integers(0, 99)
)
def test_against_float64(way, lengths, dims, seed):
    given_ = sample(lengths, dims, seed)
    wanted = exact(*given_)
    found = sum_rows(*given_)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=2e-5)
    into = np.zeros((len(lengths), 3, dims), dtype=np.float32)
    sum_rows(*given_, out=into[:, 1], threads=3)
    np.testing.assert_array_equal(into[:, 1], found)  # by any number of threads
    assert not into[:, 0].any()
    assert not into[:, 2].any()


def test_a_sum_does_not_depend_on_the_others(way):
    table, rows, weights, offsets = sample([5, 400, 1, 0, 33], 40, 0)
    whole = sum_rows(table, rows, weights, offsets)
    for n, (a, b) in enumerate(pairwise(offsets)):
        np.testing.assert_array_equal(sum_rows(table, rows[a:b], weights[a:b], np.array([0, b - a])), whole[n : n + 1])


def test_a_long_sequence_keeps_its_digits(way):
    """A million rows: sums of float32 alone would be off in the fourth digit."""
    rows, weights = np.zeros(1_000_000, dtype=np.int32), np.full(1_000_000, 1e-6, dtype=np.float32)
    table = np.array([[0.1, 3.0]], dtype=np.float32)
    wanted = table.astype(np.float64) * float(weights[0]) * 1e6
    np.testing.assert_allclose(sum_rows(table, rows, weights, np.array([0, 1_000_000])), wanted, rtol=1e-5)


def test_without_rows_the_table_as_it_stands(way):
    vectors = np.arange(8, dtype=np.float32).reshape(4, 2)
    weights = np.array([[1, 1, 0, 2], [0, 1, 0, 0]], dtype=np.float32)
    assert pool_rows(vectors, None, weights, np.array([0, 2, 2, 4])).tolist() == [
        [[2, 4], [0, 0], [12, 14]],
        [[2, 3], [0, 0], [0, 0]],
    ]


def test_what_does_not_fit_is_refused(way):
    table, ones = np.ones((3, 2), dtype=np.float32), np.ones(2, dtype=np.float32)
    with pytest.raises(IndexError, match="row 3 of a table of 3 rows"):
        sum_rows(table, np.array([0, 3]), ones, np.array([0, 2]))
    with pytest.raises(ValueError, match="do not fit"):
        sum_rows(table, np.array([0, 1]), ones, np.array([0, 3]))


def test_tables_that_may_not_be_written_take_turns(way):
    """Where the last one lies is remembered; another one may come to lie there."""
    rows, ones, offsets = np.array([1, 0], dtype=np.int32), np.ones(2, dtype=np.float32), np.array([0, 1, 2])

    def read_only(value: float) -> np.ndarray:
        table = np.array([[value, 1.0], [2.0, value]], dtype=np.float32)
        table.flags.writeable = False
        return table

    first, second = read_only(3.0), read_only(5.0)
    for table, value in [
        (first, 3.0),
        (second, 5.0),
        (first, 3.0),
        *((read_only(float(n)), float(n)) for n in range(20)),
    ]:
        assert sum_rows(table, rows, ones, offsets).tolist() == [[2.0, value], [value, 1.0]]
