"""Inverse document frequency: by hand, by plain counting, and against scikit-learn."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

import tiny_models
from attar.errors import InputError, NotFittedError, RecipeError
from attar.pooling import scale_weights
from attar.tokens.tokenizer import TextTokenizer
from attar.types import Tokens, Vocabulary
from attar.weights import Idf

V = 8
VOCABULARY = Vocabulary(tuple("abcdefgh"), frozenset(), None, None)
documents = st.lists(st.lists(st.integers(0, V - 1), max_size=6), min_size=1, max_size=8)


def test_by_hand():
    # 4 documents: token 0 in all, 1 in two, 2 in one (twice), 3 in none.
    tokens = Tokens.of([[0, 1], [0, 1, 1], [0, 2, 2], [0]])
    idf = Idf().fit(tokens, VOCABULARY)
    assert idf.document_frequency_.tolist() == [4, 2, 1, 0, 0, 0, 0, 0]
    assert idf.n_documents_.tolist() == [4]
    assert idf.idf_[:4].tolist() == pytest.approx([0, math.log(2), math.log(4), math.log(4)])
    assert idf.weigh(tokens)[:5].tolist() == pytest.approx([0, math.log(2), 0, math.log(2), math.log(2)])


def test_scaled_by_hand():
    # [1, 1, 3]: ln 2, ln 2 and ln 4, which is twice ln 2.
    fitted = Idf().fit(Tokens.of([[1], [1], [2], [0]]), VOCABULARY)
    tokens = Tokens.of([[1, 1, 3]])
    scaled, _ = scale_weights(fitted.weigh(tokens), tokens)
    assert scaled.tolist() == pytest.approx([0.25, 0.25, 0.5])


def test_tokens_that_all_documents_show_leave_the_plain_mean():
    tokens = Tokens.of([[0, 0, 1], [1, 0]])
    scaled, lost = scale_weights(Idf().fit(tokens, VOCABULARY).weigh(tokens), tokens)
    assert scaled.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.5, 0.5])
    assert lost.tolist() == [True, True]


def test_a_document_is_a_text_without_its_frame_whatever_its_windows():
    tokens = Tokens(
        ids=np.array([7, 0, 7, 0, 7, 1], dtype=np.int32),
        roles=np.array([3, 0, 3, 0, 3, 0], dtype=np.uint8),
        offsets=np.array([0, 2, 4, 6]),
        texts=np.array([0, 0, 1]),  # two windows of one text
        n_texts=2,
        truncated=np.zeros(2, dtype=bool),
    )
    idf = Idf().fit(tokens, VOCABULARY)
    assert idf.document_frequency_.tolist() == [1, 1, 0, 0, 0, 0, 0, 0]
    assert idf.n_documents_.tolist() == [2]


def test_roles_are_counted_as_asked():
    tokens = Tokens.of([[7, 6, 1, 5, 7]], roles=[[3, 1, 0, 2, 3]])
    fitted = Idf().fit(Tokens.of([[0], [0]]), VOCABULARY)
    ln2 = math.log(2)
    assert fitted.weigh(tokens).tolist() == pytest.approx([0, ln2, ln2, ln2, 0])
    fitted.set_params(specials=True, template=False, masks=False)
    assert fitted.weigh(tokens).tolist() == pytest.approx([ln2, 0, ln2, 0, ln2])


@settings(max_examples=50)
@given(documents)
def test_against_plain_counting(texts):
    seen = Counter(token for text in texts for token in set(text))
    idf = Idf().fit(Tokens.of(texts), VOCABULARY).idf_
    wanted = [math.log(len(texts) / max(seen[token], 1)) for token in range(V)]
    np.testing.assert_allclose(idf, wanted, rtol=1e-6, atol=1e-7)


@settings(max_examples=25)
@given(documents)
def test_against_scikit_learn(texts):
    counts = np.zeros((len(texts), V))
    for row, text in zip(counts, texts, strict=True):
        np.add.at(row, text, 1)
    shown = (counts > 0).any(axis=0)
    assume(shown.any())
    theirs = TfidfTransformer(smooth_idf=False, norm=None).fit(csr_array(counts[:, shown])).idf_ - 1  # they add 1
    ours = Idf().fit(Tokens.of(texts), VOCABULARY).idf_
    np.testing.assert_allclose(ours[shown], theirs, rtol=1e-6, atol=1e-6)


@settings(max_examples=25)
@given(documents, documents)
def test_counts_of_parts_add_up(a, b):
    parts = Idf().partial_fit(Tokens.of(a), VOCABULARY).partial_fit(Tokens.of(b), VOCABULARY)
    whole = Idf().fit(Tokens.of(a + b), VOCABULARY)
    assert parts.document_frequency_.tolist() == whole.document_frequency_.tolist()
    assert parts.n_documents_.tolist() == whole.n_documents_.tolist()


def test_fit_forgets_what_was_counted_before():
    idf = Idf().fit(Tokens.of([[0], [1]]), VOCABULARY).fit(Tokens.of([[2]]), VOCABULARY)
    assert idf.document_frequency_.tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    assert idf.n_documents_.tolist() == [1]


def test_unfitted_is_refused():
    with pytest.raises(NotFittedError, match="Idf weights have not seen any texts"):
        Idf().weigh(Tokens.of([[0]]))


def test_tokens_of_another_tokenizer_are_refused():
    fitted = Idf().fit(Tokens.of([[0]]), VOCABULARY)
    with pytest.raises(InputError, match="know 8 tokens, but a text has token id 9"):
        fitted.weigh(Tokens.of([[9]]))


def test_state_round_trip():
    fitted = Idf().fit(Tokens.of([[0, 1], [0]]), VOCABULARY)
    again = Idf().set_state(fitted.state())
    assert again.idf_.tolist() == fitted.idf_.tolist()


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ({}, "wants the arrays"),
        ({"document_frequency": np.ones(3, dtype=np.int64)}, "wants the arrays"),
        ({"document_frequency": np.ones((3, 1), dtype=np.int64), "n_documents": np.array([3])}, "shape"),
        ({"document_frequency": np.ones(3), "n_documents": np.array([3])}, "float64"),
        ({"document_frequency": np.array([-1, 0]), "n_documents": np.array([3])}, "counts in one row"),
        ({"document_frequency": np.array([4, 0]), "n_documents": np.array([3])}, "do not fit together"),
        ({"document_frequency": np.array([1, 0]), "n_documents": np.array([3, 3])}, "do not fit together"),
        ({"document_frequency": np.array([1, 0]), "n_documents": np.array([], dtype=np.int64)}, "shape"),
    ],
)
def test_a_damaged_state_is_refused(state, told):
    with pytest.raises(RecipeError, match=told):
        Idf().set_state(state)


def test_against_scikit_learns_counts_of_real_pieces():
    tokenizer = TextTokenizer(tiny_models.wordpiece())
    texts = ["the cat sat on the mat", "a dog, a cat", "walked and played", "", "the the the"]
    ours = Idf().fit(tokenizer(texts), tokenizer.vocabulary)
    split = tiny_models.wordpiece()
    theirs = CountVectorizer(analyzer=lambda text: split.encode(text, add_special_tokens=False).tokens, binary=True)
    counts = np.asarray(theirs.fit_transform(texts).sum(axis=0))[0]
    pieces = tokenizer.vocabulary.pieces
    found = {pieces[i]: int(n) for i, n in enumerate(ours.document_frequency_) if n}
    assert found == dict(zip(theirs.get_feature_names_out(), counts.tolist(), strict=True))
