"""Which sequences go through the model together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.engine.batching import LEAST_BUDGET, equal_batches, even_budget, length_groups, packed_batches

lengths = st.lists(st.integers(0, 30), max_size=40).map(lambda values: np.array(values, dtype=np.int64))


def test_packed_by_hand():
    batches = packed_batches(np.array([2, 5, 0, 4, 1]), budget=6)
    assert [batch.tolist() for batch in batches] == [[1], [3, 0, 4]]  # they end at token 5 | 9, 11, 12


def test_equal_by_hand():
    batches = equal_batches(np.array([3, 2, 3, 0, 3, 2]), budget=6)
    assert [batch.tolist() for batch in batches] == [[0, 2], [4], [1, 5]]


def test_a_sequence_longer_than_the_budget_goes_alone():
    assert [b.tolist() for b in packed_batches(np.array([1, 50]), budget=10)] == [[1], [0]]
    assert [b.tolist() for b in equal_batches(np.array([50, 50, 1]), budget=10)] == [[0], [1], [2]]


@pytest.mark.parametrize("form", [packed_batches, equal_batches])
@settings(max_examples=50)
@given(lengths=lengths)
def test_every_sequence_with_tokens_goes_once(form, lengths):
    batches = form(lengths, budget=32)
    together = [n for batch in batches for n in batch.tolist()]
    assert sorted(together) == np.flatnonzero(lengths > 0).tolist()
    for batch in batches:
        assert lengths[batch].sum() <= 32 + lengths[batch].max()
        if form is equal_batches:
            assert len(set(lengths[batch].tolist())) == 1


@pytest.mark.parametrize(
    ("n_tokens", "n_workers", "budget"),
    [(0, 2, LEAST_BUDGET), (100, 2, LEAST_BUDGET), (1000, 2, 500), (1500, 1, 1500), (4100, 2, 1025), (44157, 2, 1004)],
)
def test_budget_by_hand(n_tokens, n_workers, budget):
    assert even_budget(n_tokens, n_workers, 1024) == budget


def test_every_worker_has_a_batch():
    assert [len(batch) for batch in packed_batches(np.full(100, 10), n_workers=2)] == [50, 50]


def test_groups_by_hand():
    assert length_groups(np.array([5, 5, 3, 2, 2, 2])) == [(2, 5), (1, 3), (3, 2)]
    assert length_groups(np.array([], dtype=np.int64)) == []
