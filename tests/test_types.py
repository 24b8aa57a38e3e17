"""Tokens and TokenVectors."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from attar.errors import InputError
from attar.tokens.byte_level import surface
from attar.types import Role, Tokens, TokenVectors, Vocabulary, token_index


def test_token_index_by_hand():
    starts, lengths = np.array([10, 0, 5]), np.array([2, 0, 3])
    assert token_index(starts, lengths).tolist() == [10, 11, 5, 6, 7]
    assert token_index(np.array([], dtype=np.int64), np.array([], dtype=np.int64)).tolist() == []


def test_tokens_of_lists():
    tokens = Tokens.of([[5, 6], [], [7]])
    assert len(tokens) == tokens.n_texts == 3
    assert tokens.lengths.tolist() == [2, 0, 1]
    assert tokens.sequence_of.tolist() == [0, 0, 2]
    assert (tokens.roles == Role.TEXT).all()


def test_take_keeps_ids_and_roles_in_the_new_order():
    tokens = Tokens.of([[5, 6], [7], [8, 9, 10]], roles=[[3, 0], [0], [3, 0, 2]])
    taken = tokens.take(np.array([2, 0]))
    assert taken.ids.tolist() == [8, 9, 10, 5, 6]
    assert taken.roles.tolist() == [3, 0, 2, 3, 0]
    assert taken.offsets.tolist() == [0, 3, 5]


@pytest.mark.parametrize("field", ["ids", "roles", "offsets", "texts"])
def test_parts_that_do_not_fit_are_refused(field):
    tokens = Tokens.of([[5, 6], [7]])
    with pytest.raises(InputError, match="do not fit together"):
        dataclasses.replace(tokens, **{field: getattr(tokens, field)[:-1]})


def test_a_layer_that_was_not_computed_is_named():
    vectors = TokenVectors({1: np.zeros((2, 3), dtype=np.float32)})
    assert vectors[1].shape == (2, 3)
    with pytest.raises(InputError, match=r"layer 2 was not computed; computed: \[1\]"):
        vectors[2]


def test_marks_of_word_beginnings_and_continuations():
    wordpiece = Vocabulary(("cat", "##s"), frozenset(), None, None, continuation="##")
    assert [wordpiece.is_continuation(i) for i in (0, 1)] == [False, True]
    assert [surface(wordpiece, i) for i in (0, 1)] == ["cat", "s"]
    sentencepiece = Vocabulary(("▁cat", "s"), frozenset(), None, None, continuation="", word_start="▁")
    assert [sentencepiece.is_continuation(i) for i in (0, 1)] == [False, True]
    assert [surface(sentencepiece, i) for i in (0, 1)] == ["cat", "s"]
    words = Vocabulary(("cat", "s"), frozenset(), None, None, continuation="")
    assert not any(words.is_continuation(i) for i in (0, 1))


def test_what_is_absent_goes_with_its_tokens():
    tokens = dataclasses.replace(Tokens.of([[1, 2], [3], [4, 5]]), absent=np.array([True, False, False, False, True]))
    assert tokens.own.tolist() == [False, True, True, True, False]
    taken = tokens.take(np.array([2, 0]))
    assert taken.absent is not None
    assert taken.absent.tolist() == [False, True, True, False]
    twice = tokens.repeated(np.array([2, 0, 1]))
    assert twice.absent is not None
    assert twice.absent.tolist() == [True, False, True, False, False, True]
