"""The mean without tokens that carry more bias than meaning: frequent ones, sub-words, punctuation."""

from __future__ import annotations

import unicodedata
from typing import Self

import numpy as np

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
    """

    learned = ("keep_", "first_keep_")

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
        self.keep_ = np.array([self._keep(i, vocabulary) for i in range(len(vocabulary))], dtype=np.uint8)  # (V,)
        # Where word beginnings are marked, the first word of a text often has no mark: only its place tells.
        first_keep = [
            bool(vocabulary.word_start) and self._keep(i, vocabulary, first=True) for i in range(len(self.keep_))
        ]
        self.first_keep_ = np.maximum(self.keep_, np.array(first_keep, dtype=np.uint8))
        return self

    def weigh(self, tokens: Tokens) -> Floats:
        self.check_fitted()
        self.check_ids(tokens, self.keep_)
        own = tokens.roles == Role.TEXT
        first = own & np.concatenate([[True], ~own[:-1]])
        keep = np.where(first, self.first_keep_[tokens.ids], self.keep_[tokens.ids]).astype(bool)
        keep |= (tokens.roles == Role.MASK) | (tokens.roles == Role.SPECIAL)
        return (keep & counted(tokens, self.specials, self.template, self.masks)).astype(np.float32)

    def _keep(self, token_id: int, vocabulary: Vocabulary, first: bool = False) -> bool:
        piece, surface = vocabulary.pieces[token_id], vocabulary.surface(token_id)
        continues = vocabulary.is_continuation(token_id) and not first
        if self.subwords and continues:
            return False
        if self.frequent and (piece in FREQUENT or (not continues and surface.lower() in FREQUENT)):
            return False
        return not (self.punctuation and _is_punctuation(surface))


def _is_punctuation(surface: str) -> bool:
    """All of it punctuation, or ASCII symbols, which BERT splits off as punctuation too."""
    return bool(surface) and all(
        unicodedata.category(c)[0] == "P" or (c.isascii() and unicodedata.category(c)[0] == "S") for c in surface
    )
