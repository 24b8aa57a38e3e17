"""The plain mean."""

from __future__ import annotations

import numpy as np

from attar.types import Floats, Tokens
from attar.weights.roles import counted
from attar.weights.weighting import Weighting


class Mean(Weighting):
    """Every token counts the same: the text's own, and the others as asked.

    Parameters
    ----------
    specials : bool
        Whether special tokens such as [CLS] and [SEP] count.
    template : bool
        Whether the words of the template count.
    masks : bool
        Whether the masks of the template count.
    """

    by_token = True

    def __init__(self, specials: bool = False, template: bool = True, masks: bool = True) -> None:
        self.specials = specials
        self.template = template
        self.masks = masks

    def weigh(self, tokens: Tokens) -> Floats:
        return counted(tokens, self.specials, self.template, self.masks).astype(np.float32)
