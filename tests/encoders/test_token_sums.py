"""Sums by batches: by hand, whatever order batches come in, and the same as from whole arrays of vectors."""

from __future__ import annotations

import numpy as np
import pytest

from attar.encoders.average import average_tokens
from attar.encoders.token_sums import BatchSums, TokenSums
from attar.types import Encoder

TEXTS = [f"the cat {'sat ' * (n % 9)}on mat {'dog ' * (n % 5)}" for n in range(60)]


def empty(n_tokens: int) -> TokenSums:
    return TokenSums({1: np.zeros((n_tokens, 1)), 2: np.zeros((n_tokens, 1))}, np.zeros(n_tokens, dtype=np.int64))


def test_by_hand():
    sums = empty(4)
    batches = BatchSums(sums, np.array([3, 1, 3, 0]))
    for layer in (1, 2):
        batches.visit(0, np.array([0, 1, 2]), layer, np.array([[1], [2], [4]], dtype=np.float32) * layer)
        batches.visit(1, np.array([3]), layer, np.array([[8]], dtype=np.float32) * layer)
    assert sums.sums[1].ravel().tolist() == [8, 2, 0, 5]
    assert sums.sums[2].ravel().tolist() == [16, 4, 0, 10]
    assert sums.counts.tolist() == [1, 1, 0, 2]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_the_order_of_batches_does_not_matter(order):
    """1e16 + 1 - 1e16 is 0 or 1 in float64, as the order has it: 0 when it is kept."""
    values = np.array([[1e16], [1], [-1e16]], dtype=np.float32)
    sums = empty(1)
    batches = BatchSums(sums, np.zeros(3, dtype=np.int64))
    for number in order:
        for layer in (1, 2):
            batches.visit(number, np.array([number]), layer, values[[number]])
    assert sums.sums[1].tolist() == [[0.0]]
    assert sums.counts.tolist() == [3]


def test_the_same_as_from_whole_arrays(tiny_bert, monkeypatch):
    made: list[int] = []

    def twelve(lengths, n_workers=1):
        batches = np.array_split(np.argsort(-lengths), 12)
        made.append(len(batches))
        return batches

    monkeypatch.setattr("attar.engine.direct.packed_batches", twelve)
    found = average_tokens(tiny_bert, TEXTS, (0, 1, 3), progress=False)
    again = average_tokens(tiny_bert, TEXTS, (0, 1, 3), progress=False)
    assert made == [12, 12]
    monkeypatch.setattr(type(tiny_bert), "each_batch", Encoder.each_batch)  # as encoders that hold whole arrays do
    wanted = average_tokens(tiny_bert, TEXTS, (0, 1, 3), progress=False)
    np.testing.assert_array_equal(found.counts, wanted.counts)
    for layer in (0, 1, 3):
        np.testing.assert_array_equal(found.sums[layer], again.sums[layer])
        np.testing.assert_allclose(found.sums[layer], wanted.sums[layer], rtol=0, atol=1e-5)
