"""Each distinct text goes through the encoder once, chunk by chunk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar import Embedder, Table, pipeline
from attar.pipeline import Distinct, Pipeline, TextCounts, distinct_texts
from attar.weights import Mean
from encoders.small_tables import few_vectors, few_words


@settings(max_examples=50)
@given(st.lists(st.sampled_from("abcd"), max_size=12))
def test_distinct_texts_rebuild_the_texts(texts):
    once, rows = distinct_texts(texts)
    assert [once[row] for row in rows] == texts
    assert once == list(dict.fromkeys(texts))


@settings(max_examples=50)
@given(st.lists(st.sampled_from("abcd"), max_size=12), st.integers(1, 5))
def test_distinct_texts_by_parts(texts, size):
    distinct = Distinct(texts)
    found = list(distinct.parts(size))
    assert all(found)
    once = [text for part in found for text in part]
    assert once == list(dict.fromkeys(texts))
    rows = range(len(texts)) if distinct.rows is None else distinct.rows
    assert [once[row] for row in rows] == texts


@pytest.fixture
def seen(tiny_bert, monkeypatch) -> list[list[str]]:
    """The lists of texts that were tokenised."""
    calls: list[list[str]] = []
    tokenize = type(tiny_bert).tokenize

    def watched(self, texts):
        calls.append(list(texts))
        return tokenize(self, texts)

    monkeypatch.setattr(type(tiny_bert), "tokenize", watched)
    return calls


def test_distinct_texts_are_encoded_once(tiny_bert, seen):
    embedded = Pipeline(tiny_bert, Mean(), "last").embed(["cat", "dog", "cat", "cat"])
    assert seen == [["cat", "dog"]]
    assert embedded.vectors.shape == (2, 16)
    assert embedded.rows.tolist() == [0, 1, 0, 0]
    assert (embedded.counts.texts, embedded.counts.distinct) == (4, 2)


def test_chunks_bound_what_is_held(tiny_bert, seen, monkeypatch):
    monkeypatch.setattr(pipeline, "CHUNK", 2)
    texts = ["cat", "dog", "red", "blue", "mat"]
    in_parts = Pipeline(tiny_bert, Mean(), "last").vectors(texts, TextCounts())
    assert seen == [["cat", "dog"], ["red", "blue"], ["mat"]]
    monkeypatch.undo()
    whole = Pipeline(tiny_bert, Mean(), "last").embed(texts).vectors
    np.testing.assert_allclose(in_parts, whole, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shapers", ["", "center"])
def test_texts_of_an_earlier_chunk_are_not_encoded_again(shapers, tiny_bert, seen, monkeypatch):
    texts = ["cat", "dog", "cat", "dog", "red", "cat", "mat"]
    embedder = Embedder(tiny_bert, layers="last", shapers=shapers).fit(texts)
    apart = np.stack([embedder.encode(text) for text in texts])
    monkeypatch.setattr(pipeline, "CHUNK", 2)
    del seen[:]
    together = embedder.encode(texts)
    assert seen == [["cat", "dog"], ["red"], ["mat"]]
    np.testing.assert_allclose(together, apart, rtol=1e-5, atol=1e-6)
    assert (embedder.counts_.texts, embedder.counts_.distinct) == (7, 4)
    np.testing.assert_allclose(embedder.encode(texts[:2]), apart[:2], rtol=1e-5, atol=1e-6)
    assert embedder.encode([]).shape == (0, 16)


def test_a_slow_encoder_gets_a_part_in_pieces(tiny_bert, seen, monkeypatch):
    texts, heard = ["cat", "dog", "red", "blue", "mat"], []
    pipe = Pipeline(tiny_bert, Mean(), "last")
    whole = pipe.embed(texts).vectors
    monkeypatch.setattr(type(tiny_bert), "texts_at_once", 2)
    seen.clear()
    found = list(pipe.stream([texts[:3], texts[3:]], TextCounts(), heard.append))
    assert seen == [["cat", "dog"], ["red"], ["blue", "mat"]]
    assert heard == [2, 1, 2]
    assert [len(vectors) for vectors in found] == [3, 2]
    np.testing.assert_allclose(np.concatenate(found), whole, rtol=1e-5, atol=1e-6)


def test_layers_are_mixed_with_their_weights(tiny_bert):
    texts = ["the cat", "a dog sat"]
    first, last = (Pipeline(tiny_bert, Mean(), layer).embed(texts).vectors for layer in (1, 3))
    mean = Pipeline(tiny_bert, Mean(), (1, 3)).embed(texts).vectors
    mixed = Pipeline(tiny_bert, Mean(), {1: 0.3, 3: 0.7}).embed(texts).vectors
    np.testing.assert_allclose(mean, (first + last) / 2, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(mixed, 0.3 * first + 0.7 * last, rtol=1e-5, atol=1e-6)


def test_vectors_are_written_to_their_place(monkeypatch):
    """One array for all, which the table fills; windows, layers and shapers stand between where there are any."""
    table = Table(few_vectors(), few_words())
    given_arrays = []
    pool_into = Table.pool_into

    def noted(self, tokens, token_weights, layers, out):
        given_arrays.append(out)
        pool_into(self, tokens, token_weights, layers, out)

    monkeypatch.setattr(Table, "pool_into", noted)
    monkeypatch.setattr(Table, "texts_at_once", 2)
    texts = ["the cat", "the dog ran", "cat", "", "zebra cat sat"]
    found = Pipeline(table, Mean(), "last").vectors(texts, TextCounts())
    assert len(given_arrays) == 3
    assert all(np.shares_memory(array, found) for array in given_arrays)
    for text, row in zip(texts, found, strict=True):
        np.testing.assert_allclose(table.encode([text])[0], row, rtol=1e-6)


def test_what_is_kept_of_a_pipeline_is_never_stale(tiny_bert):
    layers = [1]
    embedder = Embedder(tiny_bert, layers=layers)
    first = embedder.encode("the cat ran")
    layers[0] = 2
    np.testing.assert_array_equal(embedder.encode("the cat ran"), Embedder(tiny_bert, layers=2).encode("the cat ran"))
    np.testing.assert_array_equal(embedder.set_params(layers=1).encode("the cat ran"), first)
    unit = Embedder(tiny_bert, layers=1, shapers="unit").encode("the cat ran")
    np.testing.assert_array_equal(embedder.set_params(shapers="unit").encode("the cat ran"), unit)
