"""Weights for a carrier that only divides by their sum: what Attar does when nothing is left goes into them too."""

from __future__ import annotations

import numpy as np

from attar.errors import RecipeError
from attar.types import Floats, Frame, Role

# What counts, the text's own tokens that do not, and the frame: so far apart that none is felt beside a higher one,
# and all above the 1e-9 that sentence-transformers takes for nothing.
COUNTED, OWN, FRAMING = 1e16, 1e4, 1e-8


def never_nothing(by_id: Floats, frame: Frame) -> Floats:
    """Weights that never sum to 0, the same ones where they can't anyway.

    A text that loses all its tokens falls back to their mean, one without tokens to the mean of its frame.
    Shape: (V,) -> (V,)
    """
    if any(by_id[token] > 0 for token, _ in frame.tokens):
        return by_id
    if any(role in (Role.TEMPLATE, Role.MASK) for _, role in frame.tokens):
        raise RecipeError(
            "no token of the template weighs anything, so a text that loses all its tokens would fall back to other "
            "tokens than in Attar; exportable instead: a template with masks or words that count, or this --to onnx"
        )
    greatest = float(by_id.max()) or 1.0
    graded = np.where(by_id > 0, by_id.astype(np.float64) / greatest * COUNTED, OWN)
    graded[[token for token, _ in frame.tokens]] = FRAMING
    return graded.astype(np.float32)
