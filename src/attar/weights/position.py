"""Later tokens count more (Muennighoff 2022, SGPT): in a causal model they have read more of the text."""

from __future__ import annotations

import numpy as np

from attar.types import Floats, Tokens
from attar.weights.roles import counted
from attar.weights.weighting import Weighting


class Position(Weighting):
    """Each token counts as much as its place in the sequence, from 1.

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
        places = np.arange(len(tokens.ids)) - tokens.offsets[tokens.sequence_of] + 1
        keep = counted(tokens, self.specials, self.template, self.masks)
        return np.where(keep, places, 0).astype(np.float32)
