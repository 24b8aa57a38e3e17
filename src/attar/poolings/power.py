"""Power means (Rücklé et al., 2018)."""

from __future__ import annotations

import numpy as np

from attar.errors import InputError
from attar.members import Number
from attar.poolings.pooling import Pooling
from attar.types import Floats, Ints


class PowerMean(Pooling):
    """(sum of w x^p)^(1/p) in every dim, p an odd number, so that a negative sum has a real root.

    p = 1 is the mean; the greater p, the more the values of greatest size count.

    Parameters
    ----------
    p : int
        The power: odd, from 1 to 63.
    """

    number = Number("p")

    def __init__(self, p: int = 3) -> None:
        self.p = p

    def check_params(self) -> None:
        super().check_params()
        if self.p % 2 == 0:
            raise InputError(
                f"p={self.p!r} is not allowed; give an odd number, such as 3: a negative sum has no even root"
            )

    def pool(self, vectors: Floats, weights: Floats, offsets: Ints) -> Floats:
        starts = offsets[:-1]
        largest = np.maximum.reduceat(np.abs(vectors), starts, axis=0)  # (N, D), so that no power overflows
        largest = np.where(largest > 0, largest, 1)
        shares = vectors.astype(np.float64) / np.repeat(largest, np.diff(offsets), axis=0)
        means = np.add.reduceat(shares**self.p * weights[:, None], starts, axis=0)
        return (np.sign(means) * np.abs(means) ** (1 / self.p) * largest).astype(np.float32)
