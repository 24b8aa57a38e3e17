"""What weights that count tokens share: how often each occurs, in texts or in English at large."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

import numpy as np

from attar.errors import InputError
from attar.types import Doubles, Floats, Ints, Tokens, Vocabulary
from attar.weights.roles import counted
from attar.weights.weighting import Weighting

_ENGLISH_WORDS = 2**32  # frequencies of English are kept as counts among so many words


class TokenCounts(Weighting):
    """Learns how often each token of the vocabulary occurs: among the texts' own tokens, or in English.

    A subclass has the parameters `english`, `specials`, `template` and `masks`, and says what a share weighs.
    """

    learned = ("token_count_",)
    token_count_: Ints
    english: bool
    specials: bool
    template: bool
    masks: bool
    by_token = True

    @property
    def needs_texts(self) -> bool:
        """Whether it learns from texts: not where it takes the frequencies of English."""
        return not self.english

    def fit(self, tokens: Tokens, vocabulary: Vocabulary) -> Self:
        if hasattr(self, "token_count_"):
            del self.token_count_
        return self.partial_fit(tokens, vocabulary)

    def partial_fit(self, tokens: Tokens, vocabulary: Vocabulary) -> Self:
        """Count more tokens.

        Parameters
        ----------
        tokens : Tokens
            The tokenised texts; only their own tokens that have a vector are counted. Frequencies of English need none.
        vocabulary : Vocabulary
            The tokens of the model by id.

        Returns
        -------
        TokenCounts
            Itself, fitted on these texts and all before.

        Raises
        ------
        InputError
            If frequencies of English are wanted of tokens that are not words, or wordfreq is not installed.
        """
        if self.english:
            self.token_count_ = english_counts(vocabulary)
            return self
        count = np.bincount(tokens.ids[tokens.own], minlength=len(vocabulary)).astype(np.int64)
        self.token_count_ = count + self.token_count_ if hasattr(self, "token_count_") else count  # (V,)
        return self

    def shares(self) -> Doubles:
        """The share of each token among all that were counted. Shape: (V,)"""
        self.check_fitted()
        shares: Doubles = self.token_count_ / max(int(self.token_count_.sum()), 1)
        return shares

    def weigh(self, tokens: Tokens) -> Floats:
        weight = self._weights_of(self.shares()).astype(np.float32)
        self.check_ids(tokens, weight)
        keep = counted(tokens, self.specials, self.template, self.masks)
        return np.where(keep, weight[tokens.ids], np.float32(0))

    @abstractmethod
    def _weights_of(self, shares: Doubles) -> Doubles:
        """The weight of each token from its share. Shape: (V,)"""


def english_counts(vocabulary: Vocabulary) -> Ints:
    """How often each word occurs in English, among 2^32 words, as wordfreq has it. Shape: (V,)"""
    if vocabulary.continuation or vocabulary.word_start:
        raise InputError(
            "frequencies of English are of whole words, and this model's tokens are pieces of words; "
            "leave out +english: counts are then taken from the texts"
        )
    try:
        from wordfreq import get_frequency_dict  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise InputError(
            "frequencies of English come from the package wordfreq: pip install 'attar[english]'; "
            "or leave out +english: counts are then taken from the texts"
        ) from None
    known = get_frequency_dict("en")
    return np.array([round(_ENGLISH_WORDS * known.get(word, 0.0)) for word in vocabulary.pieces], dtype=np.int64)
