"""Subtract the mean."""

from __future__ import annotations

import numpy as np

from attar.shapers.affine import Affine
from attar.shapers.affine_shaper import MomentShaper
from attar.shapers.moments import Moments


class Center(MomentShaper):
    """y = x - mean.

    Parameters
    ----------
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    per_dim = True

    def _solve(self, moments: Moments) -> Affine:
        return Affine(-moments.mean, scale=np.ones_like(moments.mean))
