"""Smooth inverse frequency (Arora et al., 2017)."""

from __future__ import annotations

import numpy as np

from attar.members import Number
from attar.types import Floats, Tokens
from attar.weights.counts import TokenCounts
from attar.weights.roles import counted


class Sif(TokenCounts):
    """a / (a + p), p the share of the token among all tokens of the texts it was fitted on.

    The removal of components that goes with it is the shaper `common:1` (or more; `common:10` does well on STS).

    Parameters
    ----------
    a : float
        The constant of the formula, above 0; a smaller one weighs frequent tokens less.
    english : bool
        Take the frequencies of English words, from the package wordfreq, instead of counting texts; for word vectors.
    specials : bool
        Whether special tokens such as [CLS] and [SEP] count.
    template : bool
        Whether the words of the template count.
    masks : bool
        Whether the masks of the template count.
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    number = Number("a", float)

    def __init__(
        self,
        a: float = 1e-3,
        english: bool = False,
        specials: bool = False,
        template: bool = True,
        masks: bool = True,
        on: str = "target",
    ) -> None:
        self.a = a
        self.english = english
        self.specials = specials
        self.template = template
        self.masks = masks
        self.on = on

    def weigh(self, tokens: Tokens) -> Floats:
        weight = (self.a / (self.a + self.shares())).astype(np.float32)
        self.check_ids(tokens, weight)
        keep = counted(tokens, self.specials, self.template, self.masks)
        return np.where(keep, weight[tokens.ids], np.float32(0))
