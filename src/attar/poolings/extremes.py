"""The greatest and the least value of every dim."""

from __future__ import annotations

import numpy as np

from attar.poolings.pooling import Pooling
from attar.types import Floats, Ints


class Max(Pooling):
    """The greatest value of every dim over the tokens that count, however much."""

    by_amount = False

    def pool(self, vectors: Floats, weights: Floats, offsets: Ints) -> Floats:
        found: Floats = np.maximum.reduceat(vectors, offsets[:-1], axis=0)
        return found


class Min(Pooling):
    """The least value of every dim over the tokens that count, however much."""

    by_amount = False

    def pool(self, vectors: Floats, weights: Floats, offsets: Ints) -> Floats:
        found: Floats = np.minimum.reduceat(vectors, offsets[:-1], axis=0)
        return found
