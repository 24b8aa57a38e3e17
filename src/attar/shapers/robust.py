"""Median 0 and interquartile range 1 in every dim."""

from __future__ import annotations

import numpy as np

from attar.shapers.affine import Affine
from attar.shapers.affine_shaper import AffineShaper
from attar.shapers.columns import column_quantiles
from attar.shapers.moments import Vectors

NO_RANGE = 10 * np.finfo(np.float64).eps


class Robust(AffineShaper):
    """y = (x - median) / (q75 - q25) for each dim, as scikit-learn's RobustScaler.

    Where both quartiles are the same the median is subtracted and nothing divided.
    It is affine and folds, but needs the vectors themselves: quartiles do not follow from moments.

    Parameters
    ----------
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    per_dim = True

    def _learn(self, X: Vectors) -> None:
        low, median, high = column_quantiles(X, np.array([0.25, 0.5, 0.75])).T
        spread = high - low
        scale = 1 / np.where(spread < NO_RANGE, 1.0, spread)
        self.affine_ = Affine(-median * scale, scale=scale)
