"""The first coefficients of a discrete cosine transform along the tokens (Almarwani et al., 2019)."""

from __future__ import annotations

import numpy as np

from attar.members import Number
from attar.poolings.pooling import Pooling
from attar.types import Floats, Ints


class Dct(Pooling):
    """The first n coefficients of the orthonormal DCT-II of the tokens in their order, one after the other.

    Coefficient 0 is the mean times the root of the number of tokens; the next ones tell how vectors change along the
    text, which a mean forgets. A text of fewer tokens has zeros in place of the missing ones. Where weights differ,
    each token is scaled by its weight over the mean weight.

    Parameters
    ----------
    n : int
        How many coefficients, from 1 to 64.
    """

    number = Number("n", always=True)

    def __init__(self, n: int = 2) -> None:
        self.n = n

    @property
    def factor(self) -> int:
        """How many times as wide as a token vector the result is: once for each coefficient."""
        return int(self.n)

    def pool(self, vectors: Floats, weights: Floats, offsets: Ints) -> Floats:
        lengths = np.diff(offsets)
        length = np.repeat(lengths, lengths)  # (T,)
        place = np.arange(len(vectors)) - np.repeat(offsets[:-1], lengths)
        scaled = vectors * (weights * length)[:, None]
        found = []
        for k in range(self.n):
            wave = np.sqrt((1 if k == 0 else 2) / length) * np.cos(np.pi / length * (place + 0.5) * k)
            sums = np.add.reduceat(scaled * wave[:, None].astype(np.float32), offsets[:-1], axis=0)
            found.append(np.where((lengths > k)[:, None], sums, np.float32(0)))
        return np.concatenate(found, axis=1)
