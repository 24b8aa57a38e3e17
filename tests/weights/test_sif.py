"""Smooth inverse frequency."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.errors import NotFittedError, RecipeError
from attar.types import Tokens, Vocabulary
from attar.weights import Sif

VOCABULARY = Vocabulary(tuple("abcd"), frozenset(), None, None)


def test_by_hand():
    # Token 0 is 3 of 4 tokens, token 1 is 1 of 4; token 2 was never seen.
    fitted = Sif(a=0.25).fit(Tokens.of([[0, 0], [0, 1]]), VOCABULARY)
    tokens = Tokens.of([[0, 1, 2]])
    assert fitted.weigh(tokens).tolist() == pytest.approx([0.25 / 1.0, 0.25 / 0.5, 1.0])


def test_only_the_texts_own_tokens_are_counted():
    tokens = Tokens.of([[3, 0, 2]], roles=[[3, 0, 1]])
    fitted = Sif().fit(tokens, VOCABULARY)
    assert fitted.token_count_.tolist() == [1, 0, 0, 0]
    assert fitted.weigh(tokens).tolist() == pytest.approx([0, 1e-3 / 1.001, 1])


texts = st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=5)


@settings(max_examples=25)
@given(texts, texts)
def test_counts_of_parts_add_up_to_plain_counts(a, b):
    parts = Sif().partial_fit(Tokens.of(a), VOCABULARY).partial_fit(Tokens.of(b), VOCABULARY)
    flat = [token for text in a + b for token in text]
    assert parts.token_count_.tolist() == [flat.count(token) for token in range(4)]
    whole = Sif().fit(Tokens.of([[0]]), VOCABULARY).fit(Tokens.of(a + b), VOCABULARY)
    assert whole.token_count_.tolist() == parts.token_count_.tolist()


def test_unfitted_is_refused():
    with pytest.raises(NotFittedError, match="Sif weights have not seen any texts"):
        Sif().weigh(Tokens.of([[0]]))


def test_a_damaged_state_is_refused():
    with pytest.raises(RecipeError, match="token_count"):
        Sif().set_state({"token_count": np.array([0.5, 1.0])})
