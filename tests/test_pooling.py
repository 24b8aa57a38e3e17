"""Weights that sum to 1, weighted sums, windows, layers: by hand, and against plain numpy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.pooling import join_windows, mix_layers, pool_texts, pool_tokens, scale_weights
from attar.types import Role, Tokens
from attar.weights import First, Mean

TEXT, SPECIAL, MASK = int(Role.TEXT), int(Role.SPECIAL), int(Role.MASK)


def test_weights_are_scaled_within_each_sequence():
    tokens = Tokens.of([[1, 2], [3, 4, 5]])
    scaled, lost = scale_weights(np.array([1, 3, 2, 0, 2], dtype=np.float32), tokens)
    assert scaled.tolist() == [0.25, 0.75, 0.5, 0, 0.5]
    assert scaled.dtype == np.float32
    assert not lost.any()


def test_a_sequence_without_weights_falls_back_to_the_mean_of_its_own_tokens():
    tokens = Tokens.of([[9, 1, 2, 9], [3]], roles=[[SPECIAL, TEXT, TEXT, SPECIAL], [TEXT]])
    scaled, lost = scale_weights(np.array([0, 0, 0, 0, 5], dtype=np.float32), tokens)
    assert scaled.tolist() == [0, 0.5, 0.5, 0, 1]
    assert lost.tolist() == [True, False]


def test_a_text_without_tokens_falls_back_to_what_frames_it():
    tokens = Tokens.of([[9, 8]], roles=[[SPECIAL, SPECIAL]])
    scaled, lost = scale_weights(np.zeros(2, dtype=np.float32), tokens)
    assert scaled.tolist() == [0.5, 0.5]
    assert lost.tolist() == [True]


def test_a_sequence_of_no_tokens_stays_empty():
    tokens = Tokens.of([[], [1]])
    scaled, lost = scale_weights(np.ones(1, dtype=np.float32), tokens)
    assert lost.tolist() == [True, False]
    vectors = np.array([[2, 4]], dtype=np.float32)
    assert pool_tokens(vectors, scaled[None], tokens.offsets).tolist() == [[[0, 0], [2, 4]]]


def test_weighted_sums_by_hand():
    vectors = np.array([[1, 0], [0, 2], [4, 4]], dtype=np.float32)
    token_weights = np.array([[0.5, 0.5, 1], [1, 0, 0.25]], dtype=np.float32)
    pooled = pool_tokens(vectors, token_weights, np.array([0, 2, 3]))
    assert pooled.tolist() == [[[0.5, 1], [4, 4]], [[1, 0], [1, 1]]]
    assert pooled.dtype == np.float32


@settings(max_examples=30)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=8), st.integers(1, 3), st.integers(0, 2**31))
def test_weighted_sums_against_loops(lengths, n_weightings, seed):
    draw = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    vectors = draw.normal(size=(offsets[-1], 5)).astype(np.float32)
    token_weights = draw.random((n_weightings, offsets[-1])).astype(np.float32)
    wanted = [[w[a:b] @ vectors[a:b] for a, b in itertools.pairwise(offsets)] for w in token_weights]
    np.testing.assert_allclose(pool_tokens(vectors, token_weights, offsets), wanted, rtol=1e-5, atol=1e-6)


def test_windows_of_a_text_are_averaged_by_hand():
    tokens = Tokens(
        ids=np.zeros(4, dtype=np.int32),
        roles=np.zeros(4, dtype=np.uint8),
        offsets=np.arange(5),
        texts=np.array([0, 1, 1, 2]),
        n_texts=3,
        truncated=np.zeros(3, dtype=bool),
    )
    pooled = np.array([[[[1.0]], [[2.0]], [[4.0]], [[8.0]]]], dtype=np.float32)  # (A, N, L, D)
    assert join_windows(pooled, tokens).tolist() == [[[[1.0]], [[3.0]], [[8.0]]]]


def test_layers_are_mixed_by_hand():
    pooled = np.array([[[1, 2], [3, 6]]], dtype=np.float32)  # (N, L, D)
    assert mix_layers(pooled, (0.5, 0.5)).tolist() == [[2, 4]]
    assert mix_layers(pooled, (2.0, -1.0)).tolist() == [[-1, -2]]
    assert mix_layers(pooled[:, 1:], (1.0,)).tolist() == [[3, 6]]
    assert mix_layers(pooled[:, 1:], (0.5,)).tolist() == [[1.5, 3]]


def test_pool_texts_against_token_vectors(tiny_bert):
    texts = ["the cat sat on the mat", "a dog", "", "music: red, blue"]
    pooled = pool_texts(tiny_bert, texts, [Mean(), Mean(specials=True), First()], [0, 2, 3])
    tokens = pooled.tokens
    vectors = tiny_bert.token_vectors(tokens, [0, 2, 3])
    assert pooled.vectors.shape == (3, 4, 3, 16)
    for n, (start, end) in enumerate(zip(tokens.offsets[:-1], tokens.offsets[1:], strict=True)):
        inner = slice(start + 1, end - 1) if end - start > 2 else slice(start, end)
        for at, layer in enumerate((0, 2, 3)):
            of = vectors[layer]
            wanted = [of[inner].mean(axis=0), of[start:end].mean(axis=0), of[start]]
            np.testing.assert_allclose(pooled.vectors[:, n, at], wanted, rtol=1e-5, atol=1e-6)
    assert pooled.lost.tolist() == [[False, False, True, False], [False] * 4, [False] * 4]


def test_pooling_is_linear(tiny_bert):
    tokens = tiny_bert.tokenize(["the cat sat", "a red tree"])
    draw = np.random.default_rng(0)
    a, b = draw.random((2, len(tokens.ids))).astype(np.float32)
    pooled = tiny_bert.pool(tokens, np.stack([a, b, a + b]), [1])
    np.testing.assert_allclose(pooled[0] + pooled[1], pooled[2], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("layers", [[3, 1], [-1, 0, 3], [2, 2]])
def test_layers_come_in_the_order_asked(tiny_bert, layers):
    tokens = tiny_bert.tokenize(["the cat sat"])
    token_weights = np.full((1, len(tokens.ids)), 0.2, dtype=np.float32)
    pooled = tiny_bert.pool(tokens, token_weights, layers)
    for at, layer in enumerate(layers):
        alone = tiny_bert.pool(tokens, token_weights, [layer])
        np.testing.assert_allclose(pooled[:, :, at], alone[:, :, 0], rtol=1e-5, atol=1e-6)
