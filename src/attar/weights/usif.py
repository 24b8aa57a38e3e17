"""Unsupervised smooth inverse frequency (Ethayarajh, 2018): SIF whose constant follows from the counts."""

from __future__ import annotations

import numpy as np

from attar.members import Number
from attar.types import Doubles
from attar.weights.counts import TokenCounts


class Usif(TokenCounts):
    """a / (a / 2 + p), p the share of the token among all tokens of the texts it was fitted on.

    With V tokens seen, a = (1 - b) / (b V / 2), where b is the share of the tokens that a random text of `length`
    tokens would more likely hold than not hold by chance: those with p > 1 - (1 - 1 / V)^length. The piecewise removal
    of components that goes with it is the shaper `piecewise:5`.

    Parameters
    ----------
    length : float
        Tokens of a text; 11 in the publication.
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

    number = Number("length", float)

    def __init__(
        self,
        length: float = 11.0,
        english: bool = False,
        specials: bool = False,
        template: bool = True,
        masks: bool = True,
        on: str = "target",
    ) -> None:
        self.length = length
        self.english = english
        self.specials = specials
        self.template = template
        self.masks = masks
        self.on = on

    @property
    def a_(self) -> float:
        """The constant that follows from the counts."""
        share = self.shares()
        n_seen = max(int((share > 0).sum()), 1)
        likely = int((share > 1 - (1 - 1 / n_seen) ** self.length).sum()) / n_seen
        return (1 - likely) / (max(likely, 1 / n_seen) * n_seen / 2)

    def _weights_of(self, shares: Doubles) -> Doubles:
        a = self.a_
        return a / (a / 2 + shares) if a > 0 else np.ones_like(shares)
