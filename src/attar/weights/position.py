"""Later tokens count more (Muennighoff 2022, SGPT): in a causal model they have read more of the text."""

from __future__ import annotations

import numpy as np

from attar.types import Floats, Tokens
from attar.weights.roles import counted
from attar.weights.weighting import Weighting


class Position(Weighting):
    """Each token counts as much as its place in the sequence, from 1; words without a vector take no place.

    Parameters
    ----------
    specials : bool
        Whether special tokens such as [CLS] and [SEP] count.
    template : bool
        Whether the words of the template count.
    masks : bool
        Whether the masks of the template count.
    """

    def __init__(self, specials: bool = False, template: bool = True, masks: bool = True) -> None:
        self.specials = specials
        self.template = template
        self.masks = masks

    def weigh(self, tokens: Tokens) -> Floats:
        there = np.ones(len(tokens.ids), dtype=np.int64) if tokens.absent is None else np.where(tokens.absent, 0, 1)
        seen = np.concatenate([[0], np.cumsum(there)])
        places = (seen[1:] - seen[tokens.offsets[tokens.sequence_of]]) * there
        keep = counted(tokens, self.specials, self.template, self.masks)
        return np.where(keep, places, 0).astype(np.float32)
