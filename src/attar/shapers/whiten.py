"""Uncorrelated dims of variance 1."""

from __future__ import annotations

from numbers import Integral

import numpy as np
import numpy.typing as npt

from attar.errors import InputError
from attar.members import Number
from attar.shapers.affine import Affine
from attar.shapers.affine_shaper import MomentShaper
from attar.shapers.moments import Moments
from attar.shapers.principal import principal_axes, texts_for
from attar.shapers.shaper import On


class Whiten(MomentShaper):
    """PCA whitening: y = (x - mean) U / sqrt(v), of principal axes U (D, K) and variances v (K,), greatest first.

    K is `n_components`, or D. It equals scikit-learn's PCA(whiten=True) (variances divided by n - 1), except where
    there is nothing to whiten: axes with at most 1e-10 of the greatest variance give 0, not noise blown up to variance
    1. So N texts, if fewer than dims, give at most N - 1 dims that are not 0, and one text gives all zeros.
    Where a few dims dwarf the others by more than 10^5, apply ZScore first.

    Parameters
    ----------
    n_components : int, optional
        How many axes to keep, K; None for all D.
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    linear_part = "matrix"
    number = Number("n_components")

    def __init__(self, n_components: int | None = None, *, on: On = "target") -> None:
        super().__init__(on=on)
        self.n_components = n_components

    def check_params(self) -> None:
        super().check_params()
        k = self.n_components
        if k is not None and (not isinstance(k, Integral) or isinstance(k, bool) or k < 1):
            raise InputError(f"n_components={k!r} is not allowed; give a whole number from 1 up, or None for all dims")

    def texts_wanted(self, n_features: int) -> int:
        """How many texts it should learn from, so that more of them would hardly change what it does.

        Parameters
        ----------
        n_features : int
            The number of dims of the vectors.

        Returns
        -------
        int
            By the axes that are kept.
        """
        return texts_for(self.n_components or n_features, n_features)

    def get_feature_names_out(self, input_features: npt.ArrayLike | None = None) -> npt.NDArray[np.object_]:
        """Names of the output's columns: whiten0, whiten1, ...

        Parameters
        ----------
        input_features : array of str, optional
            Names of the input's columns; only checked.

        Returns
        -------
        ndarray of object, of shape (K,)
            One name per output column.
        """
        super().get_feature_names_out(input_features)  # for its checks
        return np.array([f"whiten{i}" for i in range(self.affine_.n_out)], dtype=object)

    def check_width(self, n_features: int) -> None:
        """Refuse to keep more dims than there are.

        Parameters
        ----------
        n_features : int
            The number of dims of the vectors.

        Raises
        ------
        InputError
            If `n_components` is above it.
        """
        if self.width_out(n_features) > n_features:
            raise InputError(
                f"{self.name} would keep more than the {n_features} dims that the vectors have; give at most "
                f"whiten:{n_features}"
            )

    def width_out(self, n_features: int) -> int:
        """The number of dims that are kept.

        Parameters
        ----------
        n_features : int
            The number of dims of the vectors.

        Returns
        -------
        int
            `n_components`, or as many as there are.
        """
        return n_features if self.n_components is None else int(self.n_components)

    def _solve(self, moments: Moments) -> Affine:
        d = len(moments.mean)
        k = self.width_out(d)
        if k > d:
            raise InputError(f"n_components={k} is more than n_features={d}; give at most {d}, or None for all dims")
        axes, variances = principal_axes(moments, k)
        scale = np.divide(1.0, np.sqrt(variances), out=np.zeros_like(variances), where=variances > 0)
        matrix = axes * scale
        return Affine(-moments.mean @ matrix, matrix=matrix)
