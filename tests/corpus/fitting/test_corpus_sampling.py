"""The bottom-k sample: deterministic, whatever the shards, and as near to the whole as it says."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.corpus.fitting.sampling import BottomK, hash_rows
from attar.errors import InputError
from attar.recipe import Sampled


def test_hashes_are_splitmix64() -> None:
    # The first three numbers of the generator seeded with 0, as published; row r is the state after r steps.
    step = 0x9E3779B97F4A7C15
    states = np.array([0, step, 2 * step % 2**64], dtype=np.uint64)
    assert [hex(h) for h in hash_rows(states.astype(np.int64))] == [
        "0xe220a8397b1dcdaf",
        "0x6e789e6aa1b965f4",
        "0x6c45d188009454f",
    ]


def test_no_two_rows_share_a_hash() -> None:
    assert len(np.unique(hash_rows(np.arange(200_000)))) == 200_000


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 400), st.integers(1, 3000), st.lists(st.integers(1, 3000), max_size=5))
def test_any_shards_give_the_rows_of_least_hash(k: int, n: int, cuts: list[int]) -> None:
    sample = BottomK(k, n)
    edges = [0, *sorted(cut for cut in set(cuts) if cut < n), n]
    rows = np.concatenate([sample.candidates(a, b - a) for a, b in pairwise(edges)])
    chosen = rows[sample.choose(rows)]
    everything = np.arange(n)
    expected = np.sort(everything[np.argsort(hash_rows(everything))[:k]])
    np.testing.assert_array_equal(chosen, expected)
    assert sample.rows == len(chosen)


def test_candidates_are_few() -> None:
    sample = BottomK(1000, 1_000_000)
    n = sum(len(sample.candidates(start, 100_000)) for start in range(0, 1_000_000, 100_000))
    assert 1000 <= n <= 1000 + 16 * 1000**0.5


def test_rank_error_holds() -> None:
    n, sample = 200_000, BottomK(5000, 200_000)
    rows = sample.candidates(0, n)
    rows = rows[sample.choose(rows)]
    values = np.random.default_rng(0).gumbel(size=n)
    levels = np.linspace(0.001, 0.999, 999)
    found = np.searchsorted(np.sort(values), np.quantile(values[rows], levels)) / n
    assert np.abs(found - levels).max() <= sample.rank_error
    assert sample.rank_error == pytest.approx(np.sqrt(np.log(200) / 10_000))


def test_a_whole_corpus_has_no_error() -> None:
    assert BottomK(10, 10).rank_error == 0.0
    assert BottomK(10, 10).account() is None
    assert BottomK(10, 11).account() == Sampled("bottom-k", 10, 11, 0.5147, 0.99)  # sqrt(ln 200 / 20)
    with pytest.raises(InputError, match="a sample of 0"):
        BottomK(0, 10)
