"""All-but-the-top: without the directions that all texts share."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from attar.errors import InputError
from attar.members import Number
from attar.shapers.affine import Affine
from attar.shapers.affine_shaper import MomentShaper
from attar.shapers.moments import Moments
from attar.shapers.principal import principal_axes, texts_for
from attar.shapers.shaper import On


class AllButTheTop(MomentShaper):
    """y = (x - mean)(I - U U^T), of the top n principal axes U (D, n).

    Axes without variance (at most 1e-10 of the greatest) are left alone: few texts have fewer than n to remove.

    Parameters
    ----------
    n : int
        How many axes to remove; 0 only centres.
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    linear_part = "matrix"
    number = Number("n", always=True)

    def __init__(self, n: int = 2, *, on: On = "target") -> None:
        super().__init__(on=on)
        self.n = n

    def check_params(self) -> None:
        super().check_params()
        if not isinstance(self.n, Integral) or isinstance(self.n, bool) or self.n < 0:
            raise InputError(f"n={self.n!r} is not allowed; give a whole number of components, 0 or more")

    def check_width(self, n_features: int) -> None:
        """Refuse to remove as many directions as there are dims: only rounding errors would be left.

        Parameters
        ----------
        n_features : int
            The number of dims of the vectors.

        Raises
        ------
        InputError
            If `n` is not below it.
        """
        if self.n >= n_features:
            raise InputError(
                f"{self.name} would remove all {n_features} dims of the vectors; give at most abtt:{n_features - 1}"
            )

    def texts_wanted(self, n_features: int) -> int:
        """How many texts it should learn from, so that more of them would hardly change what it does.

        Parameters
        ----------
        n_features : int
            The number of dims of the vectors.

        Returns
        -------
        int
            By the axes that are removed.
        """
        return texts_for(self.n, n_features)

    def _solve(self, moments: Moments) -> Affine:
        d = len(moments.mean)
        if self.n > d:
            raise InputError(f"n={self.n} components can't be removed from n_features={d}; give at most {d}")
        axes, variances = principal_axes(moments, self.n)
        axes = axes[:, variances > 0]
        matrix = np.eye(d) - axes @ axes.T
        return Affine(-moments.mean @ matrix, matrix=matrix)
