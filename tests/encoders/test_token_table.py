"""Table: by hand, one path for encode and Embedder, layers and factors, what it refuses."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import WORDS, few_vectors, few_words
from tokenizers import Tokenizer, models

from attar import Embedder, Table, shapers, weights
from attar.errors import InputError
from attar.pooling import pool_texts
from attar.types import Encoder

TEXTS = ["the cat sat", "dog", "", "what the dog", "what"]
VECTORS = few_vectors(dims=3)
THE, CAT, SAT, DOG, RAN = VECTORS[5:]
UNK = VECTORS[1]


def test_it_is_an_encoder_of_one_layer():
    table = Table(VECTORS, few_words())
    assert isinstance(table, Encoder)
    assert (table.first_layer, table.n_layers, table.layers, table.width(1)) == (1, 1, (1,), 3)
    assert repr(table) == "Table(10 tokens, 3 dims, layers 1)"


def test_encode_by_hand():
    vectors = Table(VECTORS, few_words()).encode(TEXTS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors[0], (THE + CAT + SAT) / 3, atol=1e-6)
    np.testing.assert_allclose(vectors[1], DOG, atol=1e-6)
    np.testing.assert_array_equal(vectors[2], np.zeros(3))
    np.testing.assert_allclose(vectors[3], (UNK + THE + DOG) / 3, atol=1e-6)


def test_factors_unknown_tokens_and_unit_length_by_hand():
    factors = np.arange(10)
    table = Table(VECTORS, few_words(), factors, skip_unknown=True)
    vectors = table.encode(TEXTS)
    np.testing.assert_allclose(vectors[0], (5 * THE + 6 * CAT + 7 * SAT) / 3, atol=1e-5)
    np.testing.assert_allclose(vectors[3], (5 * THE + 8 * DOG) / 2, atol=1e-5)
    np.testing.assert_array_equal(vectors[4], np.zeros(3))
    unit = Table(VECTORS, few_words(), factors, skip_unknown=True, normalize=True).encode(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), [1, 1, 0, 1, 0], atol=1e-6)
    np.testing.assert_allclose(unit[1], DOG / np.linalg.norm(DOG), atol=1e-6)


def test_texts_without_tokens_are_reported(caplog):
    Table(VECTORS, few_words()).encode(TEXTS)
    assert "1 of 5 texts have no known token" in caplog.text
    caplog.clear()
    Table(VECTORS, few_words(), skip_unknown=True).encode(TEXTS)
    assert "2 of 5 texts have no known token" in caplog.text
    caplog.clear()
    Table(VECTORS, few_words()).encode(TEXTS[:2])
    assert not caplog.text


def test_layers_are_chosen_when_encoding():
    stacked = np.stack([few_vectors(seed=s) for s in range(3)])
    table = Table(stacked, few_words(), layers=(1, 6, 12))
    assert (table.first_layer, table.n_layers, table.layers) == (1, 12, (1, 6, 12))
    parts = [Table(rows, few_words()).encode(TEXTS) for rows in stacked]
    np.testing.assert_allclose(table.encode(TEXTS), np.mean(parts, axis=0), atol=1e-6)
    np.testing.assert_allclose(table.encode(TEXTS, layers=[12, 1]), (parts[0] + parts[2]) / 2, atol=1e-6)
    embedded = Embedder(table, layers={1: 0.25, 12: 0.75}).encode(TEXTS)
    np.testing.assert_allclose(embedded, 0.25 * parts[0] + 0.75 * parts[2], atol=1e-6)
    np.testing.assert_array_equal(Embedder(table).encode(TEXTS), Embedder(table, layers=12).encode(TEXTS))
    for wrong in ([5], [], [-1]):
        with pytest.raises(InputError, match=r"it holds \[1, 6, 12\]"):
            table.encode(TEXTS, layers=wrong)


words = st.lists(st.sampled_from(["the", "cat", "sat", "dog", "ran", "what", "[MASK]"]), max_size=6).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(st.lists(words, max_size=6), st.booleans(), st.booleans())
def test_encode_is_the_embedder_with_the_plain_mean(texts, factors, skip_unknown):
    table = Table(VECTORS, few_words(), np.arange(10) if factors else None, skip_unknown=skip_unknown)
    np.testing.assert_allclose(table.encode(texts), Embedder(table).encode(texts), atol=1e-5)


def test_special_tokens_in_a_text_are_text():
    table = Table(VECTORS, few_words())
    assert table.tokenize(["[MASK] [SEP]"]).ids.tolist() == [1] * 6  # [, MASK, ], [, SEP, ]: none is known


@pytest.mark.parametrize("weighting", [weights.Mean(), weights.Idf(), weights.Debiased(), weights.Sif()], ids=str)
def test_every_weighting_against_token_vectors(weighting):
    table = Table(VECTORS, few_words(), np.linspace(0.5, 2, 10))
    fitted = weighting.fit(table.tokenize(TEXTS), table.vocabulary)
    pooled = pool_texts(table, TEXTS, [fitted], (1,))
    rows = table.token_vectors(pooled.tokens, (1,))[1]
    for n, (a, b) in enumerate(zip(pooled.tokens.offsets, pooled.tokens.offsets[1:], strict=False)):
        token_weights = fitted.weigh(pooled.tokens)[a:b]
        if token_weights.sum() > 0:
            wanted = token_weights @ rows[a:b] / token_weights.sum()
            np.testing.assert_allclose(pooled.vectors[0, n, 0], wanted, atol=1e-5)


def test_idf_and_z_scores_work_unchanged():
    table = Table(VECTORS, few_words())
    embedder = Embedder(table, weights=weights.Idf(), shapers=[shapers.ZScore(), shapers.Unit()])
    vectors = embedder.fit_transform(["the cat sat", "the dog ran", "the cat ran", "dog"])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_text_columns_and_wrong_texts():
    table = Table(VECTORS, few_words())
    wanted = table.encode(["the cat", "dog"])
    np.testing.assert_array_equal(table.encode(np.array(["the cat", "dog"])), wanted)
    np.testing.assert_array_equal(table.encode(t for t in ["the cat", "dog"]), wanted)
    assert table.encode([]).shape == (0, 3)
    with pytest.raises(InputError, match="text 1 is None"):
        table.encode(["a", None])
    with pytest.raises(InputError, match="given str"):
        table.encode("the cat")


def test_the_batch_does_not_matter(monkeypatch):
    table = Table(few_vectors(dims=64), few_words())
    texts = [" ".join(np.random.default_rng(i).choice(WORDS[5:], i % 7)) for i in range(50)]
    whole = table.encode(texts)
    monkeypatch.setattr("attar.encoders.table.CHUNK", 3)
    np.testing.assert_array_equal(table.encode(texts), whole)
    np.testing.assert_array_equal(np.concatenate([table.encode([text]) for text in texts]), whole)


def test_copies_are_itself_and_pickles_are_the_same():
    table = Table(VECTORS, few_words())
    assert copy.deepcopy(table) is table
    many = ["the cat sat"] * 300  # enough for the fast ids to be at work
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(table)).encode(many), table.encode(many))


def test_the_fingerprint_tells_tables_apart():
    made = {
        Table(VECTORS, few_words()).fingerprint,
        Table(VECTORS + 1, few_words()).fingerprint,
        Table(VECTORS, few_words(), np.ones(10)).fingerprint,
        Table(VECTORS, few_words(), layers=(2,)).fingerprint,
        Table(VECTORS, few_words(), normalize=True).fingerprint,
    }
    assert len(made) == 5
    assert Table(VECTORS.copy(), few_words()).spec() == Table(VECTORS, few_words()).spec()


NAN = np.full((10, 2), np.nan)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"vectors": np.zeros(3)}, r"given shape \(3,\)"),
        ({"vectors": np.zeros((10, 0))}, "given shapes"),
        ({"vectors": {}}, "given shapes"),
        ({"vectors": {1: np.zeros((10, 2)), 2: np.zeros((9, 2))}}, "same V"),
        ({"vectors": np.zeros((9, 2))}, "9 rows, but its tokenizer has 10"),
        ({"vectors": NAN}, "not finite"),
        ({"vectors": np.zeros((2, 10, 2)), "layers": (1, 1)}, r"given \(1, 1\)"),
        ({"vectors": np.zeros((2, 10, 2)), "layers": (1,)}, "2 layers"),
        ({"vectors": np.zeros((10, 2)), "weights": np.ones(9)}, "weights of a table are 10"),
        ({"vectors": np.zeros((10, 2)), "weights": NAN[:, 0]}, "weights of a table are 10"),
        ({"vectors": np.zeros((10, 2)), "counts": np.ones((10, 1))}, "counts of a table are 10"),
    ],
)
def test_senseless_tables_are_refused(arguments, said):
    with pytest.raises(InputError, match=said):
        Table(tokenizer=few_words(), **arguments)


def test_a_tokenizer_without_unknown_token():
    tokenizer = Tokenizer(models.BPE({"a": 0}, []))
    table = Table(np.ones((1, 2)), tokenizer, skip_unknown=True)
    assert table.encode(["a", "b"]).tolist() == [[1, 1], [0, 0]]
