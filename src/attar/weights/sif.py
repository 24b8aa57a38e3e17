"""Smooth inverse frequency (Arora et al., 2017)."""

from __future__ import annotations

from typing import Self

import numpy as np

from attar.members import Number
from attar.types import Floats, Ints, Role, Tokens, Vocabulary
from attar.weights.roles import counted
from attar.weights.weighting import Weighting


class Sif(Weighting):
    """a / (a + p), p the share of the token among all tokens of the texts it was fitted on.

    The removal of the first principal component that goes with it is `shapers.AllButTheTop(1)`.

    Parameters
    ----------
    a : float
        The constant of the formula, above 0; a smaller one weighs frequent tokens less.
    specials : bool
        Whether special tokens such as [CLS] and [SEP] count.
    template : bool
        Whether the words of the template count.
    masks : bool
        Whether the masks of the template count.
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    learned = ("token_count_",)
    token_count_: Ints
    by_token = True
    needs_texts = True
    number = Number("a", float)

    def __init__(
        self,
        a: float = 1e-3,
        specials: bool = False,
        template: bool = True,
        masks: bool = True,
        on: str = "target",
    ) -> None:
        self.a = a
        self.specials = specials
        self.template = template
        self.masks = masks
        self.on = on

    def fit(self, tokens: Tokens, vocabulary: Vocabulary) -> Self:
        if hasattr(self, "token_count_"):
            del self.token_count_
        return self.partial_fit(tokens, vocabulary)

    def partial_fit(self, tokens: Tokens, vocabulary: Vocabulary) -> Self:
        """Count more tokens.

        Parameters
        ----------
        tokens : Tokens
            The tokenised texts; only their own tokens are counted.
        vocabulary : Vocabulary
            The tokens of the model by id.

        Returns
        -------
        Sif
            Itself, fitted on these texts and all before.
        """
        own = tokens.ids[tokens.roles == Role.TEXT]
        count = np.bincount(own, minlength=len(vocabulary)).astype(np.int64)
        self.token_count_ = count + self.token_count_ if hasattr(self, "token_count_") else count  # (V,)
        return self

    def weigh(self, tokens: Tokens) -> Floats:
        self.check_fitted()
        share = self.token_count_ / max(int(self.token_count_.sum()), 1)
        weight = (self.a / (self.a + share)).astype(np.float32)
        self.check_ids(tokens, weight)
        keep = counted(tokens, self.specials, self.template, self.masks)
        return np.where(keep, weight[tokens.ids], np.float32(0))
