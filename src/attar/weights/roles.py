"""Which tokens a weighting counts, by whose they are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attar.types import Tokens


def counted(tokens: Tokens, specials: bool, template: bool, masks: bool) -> npt.NDArray[np.bool_]:
<<<<<<< HEAD
    """The text's own tokens always; [CLS] and [SEP], the template's words and its masks as asked. Shape: (T,)

    A copy of the text that a prompt says before the one that counts never counts.
    """
    wanted = np.zeros(len(Role), dtype=bool)
    wanted[[Role.TEXT, Role.SPECIAL, Role.MASK]] = True, specials, masks
    wanted[[Role.TEMPLATE, Role.ANSWER]] = template
=======
    """The text's own tokens always; [CLS] and [SEP], the template's words and its masks as asked. Shape: (T,)"""
    wanted = np.array([True, template, masks, specials])  # in the order of Role
>>>>>>> main
    return wanted[tokens.roles]
