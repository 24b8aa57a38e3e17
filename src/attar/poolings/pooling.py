"""What all poolings share: the vectors of a text's tokens become one vector, in a way that need not be linear."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from attar.errors import InputError
from attar.members import Number, text_of
from attar.types import Floats, Ints


class Pooling(BaseEstimator):  # type: ignore[misc]
    """Token vectors to one vector per text. Nothing is learned.

    A subclass implements `pool`, and `factor` where its vectors are wider than a token's.
    """

    number: ClassVar[Number | None] = None  # the parameter that a number after the name sets
    by_amount: ClassVar[bool] = True  # False: it asks only which tokens count, not how much

    @property
    def name(self) -> str:
        """The text `attar.poolings.parse` makes an equal pooling from, such as "power:3"."""
        from attar.poolings import MEMBERS  # the table names this class

        return text_of(self, MEMBERS)

    @property
    def factor(self) -> int:
        """How many times as wide as a token vector the result is."""
        return 1

    def check_params(self) -> None:
        """Check the constructor's values.

        Raises
        ------
        InputError
            If a value is not allowed.
        """
        if self.number is not None:
            value = getattr(self, self.number.parameter)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value <= 64:
                raise InputError(f"{self.number.parameter}={value!r} is not allowed; give a whole number from 1 to 64")

    def pool(self, vectors: Floats, weights: Floats, offsets: Ints) -> Floats:
        """The vector of each text, from the tokens that count.

        Parameters
        ----------
        vectors : ndarray of float32, of shape (T, D)
            The vectors of the tokens that count, text after text.
        weights : ndarray of float32, of shape (T,)
            Their weights, above 0, which sum to 1 in each text.
        offsets : ndarray of int64, of shape (N + 1,)
            Text n has the tokens offsets[n] to offsets[n + 1], at least one.

        Returns
        -------
        ndarray of float32, of shape (N, D * factor)
            One row per text.
        """
        raise NotImplementedError
