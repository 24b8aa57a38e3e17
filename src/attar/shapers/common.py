"""Common component removal, as SIF and uSIF do it: without the strongest directions, not centred."""

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


def about_zero(moments: Moments) -> Moments:
    """The same vectors seen from 0 instead of their mean: the scatter is the sum of x x^T."""
    return Moments(
        moments.n,
        np.zeros_like(moments.mean),
        moments.scatter + moments.n * np.outer(moments.mean, moments.mean),
        moments.rounded,
    )


class CommonComponents(MomentShaper):
    """y = x (I - U W U^T), U (D, n) the top n singular vectors of the vectors as they are, W = I.

    Where `weighted`, W holds the shares of the squared singular values among the n: the piecewise removal of uSIF
    (Ethayarajh, 2018, n = 5). Without it, n = 1 is that of SIF (Arora et al., 2017). `AllButTheTop` subtracts the mean
    first, these do not. Directions with at most 1e-10 of the greatest are left alone.

    Parameters
    ----------
    n : int
        How many directions to remove.
    weighted : bool
        Take away only a share of each.
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    linear_part = "matrix"
    number = Number("n", always=True)

    def __init__(self, n: int = 1, weighted: bool = False, *, on: On = "target") -> None:
        super().__init__(on=on)
        self.n = n
        self.weighted = weighted

    def check_params(self) -> None:
        super().check_params()
        if not isinstance(self.n, Integral) or isinstance(self.n, bool) or self.n < 1:
            raise InputError(f"n={self.n!r} is not allowed; give a whole number of components, 1 or more")
        if not isinstance(self.weighted, (bool, np.bool_)):
            raise InputError(f"weighted={self.weighted!r} is neither True nor False")

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
                f"{self.name} would remove all {n_features} dims of the vectors; give a number of at most "
                f"{n_features - 1}"
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
        axes, squares = principal_axes(about_zero(moments), self.n)
        share = squares / squares.sum() if self.weighted and squares.any() else (squares > 0).astype(np.float64)
        return Affine(np.zeros(d), matrix=np.eye(d) - (axes * share) @ axes.T)
