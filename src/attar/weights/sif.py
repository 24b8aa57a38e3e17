"""Smooth inverse frequency (Arora et al., 2017)."""

from __future__ import annotations

from attar.members import Number
from attar.types import Doubles
from attar.weights.counts import TokenCounts


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

    def _weights_of(self, shares: Doubles) -> Doubles:
        return self.a / (self.a + shares)
