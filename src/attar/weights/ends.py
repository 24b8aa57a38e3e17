"""One token for the whole text: its first or its last."""

from __future__ import annotations

import numpy as np

from attar.types import Floats, Ints, Tokens
from attar.weights.roles import counted
from attar.weights.weighting import Weighting


class First(Weighting):
    """The first token alone: [CLS], or with `specials=False` the first that is not special.

    Parameters
    ----------
    specials : bool
        Whether special tokens such as [CLS] count.
    """

    by_words = False

    def __init__(self, specials: bool = True) -> None:
        self.specials = specials

    def weigh(self, tokens: Tokens) -> Floats:
        return _only(tokens, self.specials, np.minimum, len(tokens.ids))


class Last(Weighting):
    """The last token alone, as usual for causal models; with `specials=False` the last that is not special.

    Parameters
    ----------
    specials : bool
        Whether special tokens such as [SEP] count.
    """

    by_words = False

    def __init__(self, specials: bool = True) -> None:
        self.specials = specials

    def weigh(self, tokens: Tokens) -> Floats:
        return _only(tokens, self.specials, np.maximum, -1)


def _only(tokens: Tokens, specials: bool, choose: np.ufunc, start: int) -> Floats:
    """1 at the chosen end of each sequence, 0 elsewhere."""
    keep = counted(tokens, specials, True, True)
    places = np.flatnonzero(keep if tokens.absent is None else keep & ~tokens.absent)
    chosen: Ints = np.full(len(tokens), start, dtype=np.int64)
    choose.at(chosen, tokens.sequence_of[places], places)
    weights = np.zeros(len(tokens.ids), dtype=np.float32)
    weights[chosen[(chosen >= 0) & (chosen < len(tokens.ids))]] = 1
    return weights
