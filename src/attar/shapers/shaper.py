"""What all shapers share: the scikit-learn contract, a name for the command line, and state to save."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, TypeGuard, get_args

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.exceptions import NotFittedError as SklearnNotFitted
from sklearn.utils.validation import check_is_fitted, validate_data

from attar.errors import InputError, NotFittedError, RecipeError, unknown_name
from attar.members import Number, text_of
from attar.shapers.moments import Vectors
from attar.types import Doubles, State

On = Literal["target", "background"]


class Shaper(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Vectors in, vectors out: (N, D) to (N, D'), float32 to float32 and float64 to float64.

    Parameters
    ----------
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    number: ClassVar[Number | None] = None  # the parameter that a number after the name sets
    per_dim: ClassVar[bool] = False  # looks at each dim by itself
    n_features_in_: int

    def __init__(self, *, on: On = "target") -> None:
        self.on = on

    @property
    def name(self) -> str:
        """The text `attar.shapers.parse` makes an equal shaper from, such as "abtt:2" or "zscore@background"."""
        from attar.shapers import MEMBERS  # the table names this class

        return text_of(self, MEMBERS)

    def fit(self, X: npt.ArrayLike, y: object = None) -> Self:
        """Learn from vectors.

        Parameters
        ----------
        X : array of shape (N, D)
            At least one finite vector.
        y : object, optional
            Ignored; there for scikit-learn.

        Returns
        -------
        Shaper
            Itself, fitted.

        Raises
        ------
        InputError
            If X can't be used or a constructor value is not allowed.
        """
        self.check_params()
        self._learn(self._checked(X, fitting=True))
        return self

    def transform(self, X: npt.ArrayLike) -> Vectors:
        """Shape vectors.

        Parameters
        ----------
        X : array of shape (N, D)
            Finite vectors; N may be 0.

        Returns
        -------
        ndarray of shape (N, D')
            Of the same type as X, float32 or float64.

        Raises
        ------
        NotFittedError
            If it has not been fitted.
        InputError
            If X can't be used or has another number of dims than the vectors it was fitted on.
        """
        self._require_fitted()
        return self._shape(self._checked(X, fitting=False))

    def check_params(self) -> None:
        """Check the constructor's values.

        Raises
        ------
        InputError
            If a value is not allowed.
        """
        if self.on not in get_args(On):
            raise unknown_name("texts to fit on", self.on, get_args(On))

    def check_width(self, n_features: int) -> None:
        """Check that the shaper is of use for vectors with this number of dims.

        Parameters
        ----------
        n_features : int
            The number of dims of the vectors.

        Raises
        ------
        InputError
            If nothing sensible would be left of them.
        """

    def width_out(self, n_features: int) -> int:
        """The number of dims that the shaper makes of vectors.

        Parameters
        ----------
        n_features : int
            The number of dims of the vectors.

        Returns
        -------
        int
            As many, unless a shaper keeps fewer.
        """
        return n_features

    def texts_wanted(self, n_features: int) -> int:
        """How many texts it should learn from, so that more of them would hardly change what it does.

        Parameters
        ----------
        n_features : int
            The number of dims of the vectors.

        Returns
        -------
        int
            0 where the number of dims does not matter.
        """
        return 0

    @abstractmethod
    def state(self) -> State:
        """The learned arrays by name, to be saved."""

    @abstractmethod
    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Take over what `state` gave; transforms are then bit for bit the same.

        Parameters
        ----------
        state : mapping of str to ndarray
            The learned arrays by name.

        Returns
        -------
        Shaper
            Itself, fitted.

        Raises
        ------
        RecipeError
            If the arrays are not what `state` gives.
        """

    @abstractmethod
    def _learn(self, X: Vectors) -> None: ...

    @abstractmethod
    def _shape(self, X: Vectors) -> Vectors: ...

    def _checked(self, X: npt.ArrayLike, *, fitting: bool) -> Vectors:
        if not fitting and self._is_sound(X):
            return X
        try:
            checked: Vectors = validate_data(
                self, X, reset=fitting, dtype=[np.float64, np.float32], ensure_min_samples=int(fitting)
            )
        except ValueError as error:  # scikit-learn's text shows the value and what is allowed
            raise InputError(str(error)) from error
        return checked

    def _is_sound(self, X: Any) -> TypeGuard[Vectors]:
        """Whether scikit-learn would give X back as it is, which takes it longer than most shapers take for a text."""
        return (
            type(X) is np.ndarray
            and X.dtype in (np.float32, np.float64)
            and X.ndim == 2
            and X.shape[1] == getattr(self, "n_features_in_", None)
            and not hasattr(self, "feature_names_in_")
            and bool(np.isfinite(X).all())
        )

    def _require_fitted(self) -> None:
        try:
            check_is_fitted(self)
        except SklearnNotFitted as error:
            kind = type(self).__name__
            raise NotFittedError(
                f"this {kind} has not learned anything yet: call fit(X), or set_state(...) with saved state, first"
            ) from error

    def _forget(self, n_features: int) -> None:
        """Drop all that was learned, before learning from something other than X."""
        for attribute in [a for a in vars(self) if a.endswith("_")]:
            delattr(self, attribute)
        self.n_features_in_ = n_features

    def _arrays_of(self, state: Mapping[str, npt.NDArray[Any]], n_axes: Mapping[str, int]) -> dict[str, Doubles]:
        """The arrays of a saved state, if it has just these names, each float64, finite and with so many axes."""
        kind = type(self).__name__
        if set(state) != set(n_axes):
            raise RecipeError(
                f"saved state of {kind} has arrays {sorted(state)}; it must have {sorted(n_axes)}: fit and save again"
            )
        for name, array in state.items():
            if array.dtype != np.float64 or array.ndim != n_axes[name] or 0 in array.shape:
                raise RecipeError(
                    f"saved array {name!r} of {kind} is {array.dtype} of shape {array.shape}; it must be float64, "
                    f"not empty, with {n_axes[name]} axes: fit and save again"
                )
            if not np.isfinite(array).all():
                n_bad = int((~np.isfinite(array)).sum())
                raise RecipeError(
                    f"saved array {name!r} of {kind} has {n_bad} values that are not finite: fit and save again"
                )
        return dict(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
