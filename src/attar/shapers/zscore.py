"""Mean 0 and variance 1 in every dim."""

from __future__ import annotations

import numpy as np

from attar.shapers.affine import Affine
from attar.shapers.affine_shaper import MomentShaper
from attar.shapers.moments import Moments

CONSTANT = 1e-12  # a deviation at most this part of the mean is rounding noise


class ZScore(MomentShaper):
    """y = (x - mean) / deviation for each dim; the deviation's square is the mean squared distance from the mean.

    A dim that is constant where it was fitted (so every dim, if fitted on one text) gives 0 for any vector.

    Parameters
    ----------
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    per_dim = True

    def _solve(self, moments: Moments) -> Affine:
        deviation = np.sqrt(moments.variance)
        varies = deviation > CONSTANT * np.abs(moments.mean)
        scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies)
        return Affine(-moments.mean * scale, scale=scale)
