"""The mean without tokens that carry more bias than meaning: frequent ones, sub-words, punctuation."""

from __future__ import annotations

import unicodedata
from typing import Self

import numpy as np

from attar.tokens.byte_level import surface
from attar.types import Floats, Role, Tokens, Vocabulary
from attar.weights.roles import counted
from attar.weights.weighting import Weighting

# The frequent tokens that PromptBERT's authors publish (the paper speaks of 33 of them).
_FREQUENT_LINE = """
. a the in , is to of and ' on man - s with for " at ##s woman are it two that you dog said playing
i an as was from : by white
"""
FREQUENT = frozenset(_FREQUENT_LINE.split())


class Debiased(Weighting):
    """Drops the frequent tokens, every piece that continues a word, and every punctuation token; each can be kept.

    A text that loses all its tokens falls back to the mean.

    Parameters
    ----------
    frequent : bool
        Whether the frequent tokens of the published list are dropped.
    subwords : bool
        Whether pieces that continue a word are dropped.
    punctuation : bool
        Whether punctuation is dropped.
    specials : bool
        Whether special tokens such as [CLS] and [SEP] count.
    template : bool
        Whether the words of the template count.
    masks : bool
        Whether the masks of the template count.
    """

    by_token = True
    learned = ("keep_", "first_keep_", "ends_word_")

    def __init__(
        self,
        frequent: bool = True,
        subwords: bool = True,
        punctuation: bool = True,
        specials: bool = False,
        template: bool = True,
        masks: bool = True,
    ) -> None:
        self.frequent = frequent
        self.subwords = subwords
        self.punctuation = punctuation
        self.specials = specials
        self.template = template
        self.masks = masks

    def fit(self, tokens: Tokens, vocabulary: Vocabulary) -> Self:
        ids = range(len(vocabulary))
        self.keep_ = np.array([self._keep(i, vocabulary) for i in ids], dtype=np.uint8)  # (V,)
        self.first_keep_, self.ends_word_ = self.keep_, np.zeros_like(self.keep_)
        if vocabulary.word_start:
            # Only a space before marks a word's beginning here; at the start and after punctuation its place tells.
            self.first_keep_ = np.array([self._keep(i, vocabulary, first=True) for i in ids], dtype=np.uint8)
            self.ends_word_ = np.array([_is_punctuation(surface(vocabulary, i)[-1:]) for i in ids], dtype=np.uint8)
        return self

    def weigh(self, tokens: Tokens) -> Floats:
        self.check_fitted()
        self.check_ids(tokens, self.keep_)
        first = np.ones(len(tokens.ids), dtype=bool)
        first[1:] = (np.diff(tokens.roles) != 0) | (np.diff(tokens.sequence_of) != 0)
        first[1:] |= self.ends_word_[tokens.ids[:-1]].astype(bool)
        keep = np.where(first, self.first_keep_[tokens.ids], self.keep_[tokens.ids]).astype(bool)
        keep |= (tokens.roles == Role.MASK) | (tokens.roles == Role.SPECIAL)
        return (keep & counted(tokens, self.specials, self.template, self.masks)).astype(np.float32)

    def _keep(self, token_id: int, vocabulary: Vocabulary, first: bool = False) -> bool:
        text = surface(vocabulary, token_id)
        punctuation = _is_punctuation(text)
        stands_apart = first or (punctuation and bool(vocabulary.word_start))
        continues = vocabulary.is_continuation(token_id) and not stands_apart
        if self.subwords and continues:
            return False
        if self.frequent and ("##" if continues else "") + text.lower() in FREQUENT:
            return False
        return not (self.punctuation and punctuation)


def _is_punctuation(surface: str) -> bool:
    """All of it punctuation, or ASCII symbols, which BERT splits off as punctuation too; or a bare space mark."""
    return all(
        unicodedata.category(c)[0] == "P" or (c.isascii() and unicodedata.category(c)[0] == "S") for c in surface
    )
