"""Frequent tokens, sub-words, punctuation: dropped one kind at a time, for each kind of tokenizer."""

from __future__ import annotations

import pytest

import tiny_models
from attar.pooling import scale_weights
from attar.tokens.templates import Template
from attar.tokens.tokenizer import TextTokenizer
from attar.weights import Debiased
from attar.weights.debiased import FREQUENT

NONE = {"frequent": False, "subwords": False, "punctuation": False}
WORDS = [*tiny_models.WORDS, "ĠâĢľ", "âĢľ", "âĢĿ"]  # as byte-level pieces: quotes with and without a space before


def kept(make, text: str, around: Template | None = None, **settings) -> list[str]:
    """The pieces that keep a weight."""
    tokenizer = TextTokenizer(make(), around)
    tokens = tokenizer([text])
    weighting = Debiased(**settings).fit(tokens, tokenizer.vocabulary)
    pieces = tokenizer.vocabulary.pieces
    return [pieces[i] for i, w in zip(tokens.ids, weighting.weigh(tokens), strict=True) if w]


def byte_level():
    return tiny_models.byte_level(WORDS)


def test_the_list_has_36_tokens():
    assert len(FREQUENT) == 36
    assert {".", "the", "##s", '"', "playing", "white"} <= FREQUENT


SENTENCE = "the cat walked, “playing” cats."


@pytest.mark.parametrize(
    ("settings", "pieces"),
    [
        (NONE, ["the", "cat", "walk", "##ed", ",", "“", "playing", "”", "cat", "##s", "."]),
        (NONE | {"frequent": True}, ["cat", "walk", "##ed", "“", "”", "cat"]),
        (NONE | {"subwords": True}, ["the", "cat", "walk", ",", "“", "playing", "”", "cat", "."]),
        (NONE | {"punctuation": True}, ["the", "cat", "walk", "##ed", "playing", "cat", "##s"]),
        ({}, ["cat", "walk", "cat"]),
    ],
    ids=["nothing", "frequent", "subwords", "punctuation", "all"],
)
def test_wordpiece(settings, pieces):
    assert kept(tiny_models.wordpiece, SENTENCE, **settings) == pieces


@pytest.mark.parametrize(
    ("settings", "pieces"),
    [
        (NONE, ["the", "Ġcat", "Ġwalk", "e", "d", ",", "ĠâĢľ", "playing", "âĢĿ", "Ġcat", "s", "."]),
        (NONE | {"frequent": True}, ["Ġcat", "Ġwalk", "e", "d", "ĠâĢľ", "âĢĿ", "Ġcat"]),
        (NONE | {"subwords": True}, ["the", "Ġcat", "Ġwalk", ",", "ĠâĢľ", "playing", "âĢĿ", "Ġcat", "."]),
        (NONE | {"punctuation": True}, ["the", "Ġcat", "Ġwalk", "e", "d", "playing", "Ġcat", "s"]),
        ({}, ["Ġcat", "Ġwalk", "Ġcat"]),
    ],
    ids=["nothing", "frequent", "subwords", "punctuation", "all"],
)
def test_byte_level_keeps_the_same_words(settings, pieces):
    assert kept(byte_level, SENTENCE, **settings) == pieces


@pytest.mark.parametrize(
    ("settings", "pieces"),
    [
        (NONE, ["▁the", "▁cat", "▁walk", "ed", ",", "▁cat", "s", "."]),
        (NONE | {"frequent": True}, ["▁cat", "▁walk", "ed", "▁cat"]),
        (NONE | {"subwords": True}, ["▁the", "▁cat", "▁walk", ",", "▁cat", "."]),
        (NONE | {"punctuation": True}, ["▁the", "▁cat", "▁walk", "ed", "▁cat", "s"]),
        ({}, ["▁cat", "▁walk", "▁cat"]),
    ],
    ids=["nothing", "frequent", "subwords", "punctuation", "all"],
)
def test_unigram_keeps_the_same_words(settings, pieces):
    assert kept(tiny_models.unigram, "the cat walked, cats.", **settings) == pieces


def test_a_bare_space_mark_is_no_word():
    assert kept(tiny_models.unigram, "zz cat") == ["z", "▁cat"]
    assert kept(byte_level, "cat zz") == ["cat", "z"]


def test_the_first_word_of_every_text_needs_no_mark():
    tokenizer = TextTokenizer(tiny_models.without_frame())
    tokens = tokenizer(["cat", "dog", "", "cat dog", "red"])
    weighting = Debiased(frequent=False).fit(tokens, tokenizer.vocabulary)
    assert weighting.weigh(tokens).tolist() == [1, 1, 1, 1, 1]


def test_template_words_are_debiased_too_but_masks_stay():
    template = Template('This sentence: "[X]" means [MASK].')
    assert kept(tiny_models.wordpiece, "the cat", template) == ["this", "sentence", "cat", "means", "[MASK]"]
    assert kept(tiny_models.wordpiece, "the cat", template, template=False) == ["cat", "[MASK]"]
    assert kept(tiny_models.wordpiece, "the cat", template, masks=False, template=False) == ["cat"]
    assert kept(byte_level, "the cat", Template("this [X] means [MASK].")) == ["this", "Ġcat", "Ġmeans", "<mask>"]


def test_specials_are_counted_where_asked():
    assert kept(tiny_models.wordpiece, "the cat", specials=True) == ["[CLS]", "cat", "[SEP]"]


def test_a_text_that_loses_all_falls_back_to_its_mean():
    tokenizer = TextTokenizer(tiny_models.wordpiece())
    tokens = tokenizer(["the, the", "cat"])
    raw = Debiased().fit(tokens, tokenizer.vocabulary).weigh(tokens)
    assert raw.tolist() == [0, 0, 0, 0, 0, 0, 1, 0]
    scaled, lost = scale_weights(raw, tokens)
    assert scaled[1:4].tolist() == pytest.approx([1 / 3] * 3)
    assert lost.tolist() == [True, False]
