"""Conceptor negation (Liu, Ungar and Sedoc, 2019): strong directions are damped, all of them a little."""

from __future__ import annotations

import numpy as np

from attar.errors import InputError
from attar.members import Number
from attar.shapers.affine import Affine
from attar.shapers.affine_shaper import MomentShaper
from attar.shapers.common import about_zero
from attar.shapers.moments import Moments
from attar.shapers.principal import texts_for
from attar.shapers.shaper import On


class Conceptor(MomentShaper):
    """y = x (I - C) with C = R (R + I / alpha^2)^-1 and R = X^T X / N of the vectors X (N, D), not centred.

    In the direction of a singular value it keeps 1 / (1 + alpha^2 r), r the mean square along it: alpha near 0 keeps
    all, a large one keeps what hardly varies. The mean square has the scale of the vectors, so the right alpha has too.

    Parameters
    ----------
    alpha : float
        The aperture, above 0; 2 in the publication, for word vectors.
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    linear_part = "matrix"
    number = Number("alpha", float)

    def __init__(self, alpha: float = 2.0, *, on: On = "target") -> None:
        super().__init__(on=on)
        self.alpha = alpha

    def check_params(self) -> None:
        super().check_params()
        is_number = isinstance(self.alpha, (int, float, np.integer, np.floating)) and not isinstance(self.alpha, bool)
        if not is_number or not 1e-6 <= self.alpha <= 1e6:
            raise InputError(f"alpha={self.alpha!r} is not allowed; give a number from 0.000001 to 1000000, such as 2")

    def texts_wanted(self, n_features: int) -> int:
        """How many texts it should learn from, so that more of them would hardly change what it does.

        Parameters
        ----------
        n_features : int
            The number of dims of the vectors.

        Returns
        -------
        int
            By the number of dims: it divides by the strength of each direction, as whitening does.
        """
        return texts_for(n_features, n_features)

    def _solve(self, moments: Moments) -> Affine:
        d = len(moments.mean)
        squares = about_zero(moments).scatter / moments.n  # R
        damped = np.linalg.inv(np.eye(d) + self.alpha**2 * squares)  # I - C, symmetric
        return Affine(np.zeros(d), matrix=(damped + damped.T) / 2)
