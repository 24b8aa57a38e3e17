"""The weighted mean: linear, and here only to be put beside others."""

from __future__ import annotations

import numpy as np

from attar.poolings.pooling import Pooling
from attar.types import Floats, Ints


class WeightedMean(Pooling):
    """The sum of w x over the tokens of a text."""

    def pool(self, vectors: Floats, weights: Floats, offsets: Ints) -> Floats:
        sums: Floats = np.add.reduceat(vectors * weights[:, None], offsets[:-1], axis=0)
        return sums
