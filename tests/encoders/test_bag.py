"""Weighted sums of table rows against dense algebra and by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import Knowing

from attar.encoders.bag import check_layers, mean_vectors
from attar.engine.sums import pool_rows, sum_rows
from attar.errors import InputError
from attar.pooling import leave_out


def test_sums_by_hand():
    table = np.array([[1, 0], [0, 10], [5, 5]], dtype=np.float32)
    rows, weights = np.array([0, 1, 2, 2], dtype=np.int32), np.array([1, 2, 3, 0], dtype=np.float32)
    sums = sum_rows(table, rows, weights, np.array([0, 2, 2, 4]))
    assert sums.tolist() == [[1, 20], [0, 0], [15, 15]]
    assert sums.dtype == np.float32


lengths_of = st.lists(st.integers(0, 6), min_size=1, max_size=8)


@settings(max_examples=30, deadline=None)
@given(lengths_of, st.integers(1, 3), st.integers(0, 99))
def test_pooling_is_a_matrix_product(lengths, n_weightings, seed):
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    table = rng.normal(size=(7, 4)).astype(np.float32)
    rows = rng.integers(0, 7, offsets[-1]).astype(np.int32)
    weights = rng.normal(size=(n_weightings, offsets[-1])).astype(np.float32)
    pooled = pool_rows(table, rows, weights, offsets)
    for n, (a, b) in enumerate(itertools.pairwise(offsets)):
        np.testing.assert_allclose(pooled[:, n], weights[:, a:b] @ table[rows[a:b]], atol=1e-5)


def test_leaving_out_by_hand():
    weights = np.array([[0.25, 0.25, 0.5, 1.0, 0.0, 1.0]], dtype=np.float32)
    absent = np.array([True, False, False, True, False, True])
    out = leave_out(absent, weights, np.array([0, 3, 5, 6]))
    # scaled up to 1; the weightless takes all of what the absent had; nobody is left
    np.testing.assert_allclose(out, [[0, 1 / 3, 2 / 3, 0, 1, 0]], rtol=1e-6)
    assert leave_out(np.zeros(6, dtype=bool), weights, np.array([0, 3, 5, 6])) is weights


@settings(max_examples=30, deadline=None)
@given(lengths_of, st.integers(0, 99))
def test_leaving_out_is_as_if_the_tokens_were_never_there(lengths, seed):
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    raw = rng.uniform(0.1, 1, offsets[-1])
    absent = rng.random(offsets[-1]) < 0.3
    for a, b in itertools.pairwise(offsets):
        raw[a:b] /= raw[a:b].sum() or 1
    out = leave_out(absent, raw[None].astype(np.float32), offsets)[0]
    for a, b in itertools.pairwise(offsets):
        kept = raw[a:b] * ~absent[a:b]
        np.testing.assert_allclose(out[a:b], kept / (kept.sum() or 1), atol=1e-6)


def test_means_of_the_texts_own_tokens_over_layers():
    encoder = Knowing()
    vectors = mean_vectors(encoder, (text for text in ["the cat", "dog"]), (1, 2))
    # ids the=5, cat=6, dog=8; places after [CLS]; layers 1 and 2 add 15 on average to the sequence's length
    assert vectors.tolist() == [[5.5, 1.5, 19.0], [8.0, 1.0, 18.0]]
    assert mean_vectors(encoder, [], (1,)).shape == (0, 3)


def test_texts_without_tokens_are_reported(caplog):
    mean_vectors(Knowing(), ["the cat", "", "dog"], (1,))
    assert "1 of 3 texts have no known token" in caplog.text


def test_watching_the_tokens_pass():
    seen = []
    mean_vectors(Knowing(), ["the cat", "dog"], (1,), seen.append)
    assert [tokens.lengths.tolist() for tokens in seen] == [[4, 3]]


@pytest.mark.parametrize("layers", [(), (3,), (1, 5)])
def test_layers_that_are_not_there(layers):
    with pytest.raises(InputError, match=r"it holds \[1, 2\]"):
        check_layers(layers, (2, 1))
