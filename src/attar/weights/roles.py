"""Which tokens a weighting counts, by whose they are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attar.types import Tokens


def counted(tokens: Tokens, specials: bool, template: bool, masks: bool) -> npt.NDArray[np.bool_]:
    """The text's own tokens always; [CLS] and [SEP], the template's words and its masks as asked. Shape: (T,)

    A copy of the text that a prompt says before the one that counts never counts.
    """
    if tokens.all_own:
        return np.ones(len(tokens.roles), dtype=bool)
    wanted = np.array([True, template, masks, specials, template, False])  # in the order of Role
    return wanted[tokens.roles]
