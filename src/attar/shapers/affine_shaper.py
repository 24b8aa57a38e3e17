"""Shapers that are affine maps: they fold into one, and most of them can learn from moments alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from attar.errors import InputError, RecipeError
from attar.shapers.affine import Affine
from attar.shapers.moments import Moments, Vectors
from attar.shapers.principal import TooRoundedError
from attar.shapers.shaper import Shaper
from attar.types import State


class AffineShaper(Shaper):
    """A shaper that is an affine map. What it learns is one `Affine`, kept as `affine_`.

    Parameters
    ----------
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    linear_part: ClassVar[Literal["scale", "matrix"]] = "scale"  # which of the two its `Affine` has
    affine_: Affine

    def affine(self) -> Affine:
        """The learned map."""
        self._require_fitted()
        return self.affine_

    def state(self) -> State:
        affine = self.affine()
        return {self.linear_part: affine.linear, "offset": affine.offset}

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> Self:
        arrays = self._arrays_of(state, {self.linear_part: 1 if self.linear_part == "scale" else 2, "offset": 1})
        try:
            affine = Affine(arrays["offset"], matrix=arrays.get("matrix"), scale=arrays.get("scale"))
        except InputError as error:
            raise RecipeError(f"saved state of {type(self).__name__}: {error}") from error
        if affine.n_out != self.width_out(affine.n_in):
            raise RecipeError(
                f"saved state of {self.name!r} gives {affine.n_out} dims from {affine.n_in}; "
                f"it must give {self.width_out(affine.n_in)}: fit and save again"
            )
        self._forget(affine.n_in)
        self.affine_ = affine
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "affine_")

    def _shape(self, X: Vectors) -> Vectors:
        return self.affine_.apply(X)


class MomentShaper(AffineShaper):
    """An affine shaper that learns from the moments of vectors alone, kept as `moments_`.

    Parameters
    ----------
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    moments_: Moments

    def fit_moments(self, moments: Moments) -> Self:
        """Learn from moments, to the same state as `fit` on the vectors they are of.

        Parameters
        ----------
        moments : Moments
            Of at least one vector.

        Returns
        -------
        MomentShaper
            Itself, fitted.

        Raises
        ------
        InputError
            If there are no vectors, or a parameter does not fit their dims.
        """
        self.check_params()
        if moments.n == 0:
            raise InputError(f"{type(self).__name__} can't learn from moments of 0 vectors; give at least 1")
        self._forget(len(moments.mean))
        self._learn_moments(moments)
        return self

    def partial_fit(self, X: npt.ArrayLike, y: object = None) -> Self:
        """Learn from these vectors and all seen before.

        The map is solved again at every call: for many batches, merge their `Moments` and call `fit_moments` once.

        Parameters
        ----------
        X : array of shape (N, D)
            More vectors.
        y : object, optional
            Ignored; there for scikit-learn.

        Returns
        -------
        MomentShaper
            Itself, fitted on these vectors and all before.

        Raises
        ------
        InputError
            If it was loaded from saved state, which holds no moments, or X can't be used.
        """
        self.check_params()
        first = not hasattr(self, "moments_")
        if first and hasattr(self, "affine_"):
            raise InputError(
                f"this {type(self).__name__} comes from saved state, which has no moments to add to: fit a new one"
            )
        moments = self._moments_of(self._checked(X, fitting=first))
        self._learn_moments(moments if first else self.moments_.merge(moments))
        return self

    @abstractmethod
    def _solve(self, moments: Moments) -> Affine:
        """The map for vectors of these moments."""

    def _learn(self, X: Vectors) -> None:
        if self.linear_part == "matrix":
            try:
                self._learn_moments(Moments.quick(X))
                return
            except TooRoundedError:  # few of the vectors that people shape; then what was found so far is lost
                pass
        self._learn_moments(self._moments_of(X))

    def _moments_of(self, X: Vectors) -> Moments:
        return Moments.of(X, diagonal=self.linear_part == "scale")

    def _learn_moments(self, moments: Moments) -> None:
        if not np.isfinite(moments.scatter).all():
            raise InputError(
                f"{type(self).__name__} can't learn: squares of the vectors are too large for float64; scale them down"
            )
        self.affine_ = self._solve(moments)
        self.moments_ = moments


def fold(shapers: Iterable[Shaper]) -> Affine:
    """Fold a chain of fitted affine shapers into one map.

    Parameters
    ----------
    shapers : iterable of Shaper
        Fitted shapers, in the order in which vectors go through them.

    Returns
    -------
    Affine
        The one map that equals the chain.

    Raises
    ------
    InputError
        If there is no shaper, or one of them is not affine.

    Examples
    --------
    >>> fold([Center().fit(X), Whiten().fit(X)]).apply(X)  # doctest: +SKIP
    """
    folded: Affine | None = None
    for shaper in shapers:
        if not isinstance(shaper, AffineShaper):
            raise InputError(
                f"shaper {shaper.name!r} is not affine, so the chain can't be folded into one matrix; "
                f"allowed: {', '.join(affine_names())}. Fold those before it and apply it afterwards"
            )
        folded = shaper.affine() if folded is None else folded.then(shaper.affine())
    if folded is None:
        raise InputError("no shapers to fold; give at least one")
    return folded


def affine_names() -> list[str]:
    """The names of the shapers that fold."""
    from attar.shapers import MEMBERS  # the table names these classes

    return [name for name, member in MEMBERS.items() if issubclass(member.make, AffineShaper)]
