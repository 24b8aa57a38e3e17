"""Subtract the mean."""

from __future__ import annotations

import numpy as np

from attar.shapers.affine import Affine
from attar.shapers.affine_shaper import MomentShaper
from attar.shapers.moments import Moments


class Center(MomentShaper):
    """y = x - mean."""

    per_dim = True

    def _solve(self, moments: Moments) -> Affine:
        return Affine(-moments.mean, scale=np.ones_like(moments.mean))
