"""The template's masks alone."""

from __future__ import annotations

import numpy as np

from attar.errors import InputError
from attar.types import Floats, Role, Tokens
from attar.weights.weighting import Weighting


class Mask(Weighting):
    """Only the masks of the template count, all the same."""

    by_token = True
    by_words = False

    @property
    def needs_masks(self) -> bool:
        return True

    def weigh(self, tokens: Tokens) -> Floats:
        masks = tokens.roles == Role.MASK
        if len(tokens) and not masks.any():
            raise InputError(
                "mask weights need a template with [MASK]; give the model one, such as Template.named('T4')"
            )
        return np.asarray(masks, dtype=np.float32)
