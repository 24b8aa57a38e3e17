"""Component: a weighting or a shaper as plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from attar import shapers, weights
from attar.errors import InputError, RecipeError, unknown_name


@dataclass(frozen=True)
class Component:
    """A weighting or a shaper: its class and its parameters.

    Parameters
    ----------
    name : str
        The name of the class.
    params : mapping
        The arguments of its constructor, as JSON values.
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Describe a weighting or a shaper.

        Parameters
        ----------
        estimator : Weighting, Shaper or scikit-learn transformer
            What to describe.

        Returns
        -------
        Component
            Its class and parameters, without what it learned.

        Raises
        ------
        RecipeError
            If it has parameters that JSON can't hold.
        """
        given = estimator.get_params(deep=False)
        params = {name: value.item() if isinstance(value, np.generic) else value for name, value in given.items()}
        try:
            json.dumps(params)
        except TypeError:
            raise RecipeError(f"{type(estimator).__name__} has parameters that JSON can't hold: {params!r}") from None
        return cls(type(estimator).__name__, params)

    def make(self, classes: Mapping[str, type], kind: str) -> Any:
        """A new, unfitted weighting or shaper.

        Parameters
        ----------
        classes : mapping of str to type
            The classes of the family by name.
        kind : str
            What messages call it: "weights" or "shaper".

        Returns
        -------
        Weighting or Shaper
            With these parameters.

        Raises
        ------
        RecipeError
            If the class or a parameter is not known.
        """
        if self.name not in classes:
            raise RecipeError(str(unknown_name(kind, self.name, classes)))
        try:
            made = classes[self.name](**self.params)
            made.check_params()
        except (TypeError, InputError) as error:
            raise RecipeError(f"{self.name} can't be made from {dict(self.params)!r}: {error}") from None
        return made

    def on_background(self) -> Self:
        """The same, learning from a background corpus where it has that choice."""
        return replace(self, params={**self.params, "on": "background"}) if "on" in self.params else self

    @cached_property
    def text(self) -> str:
        """Its text form, such as "idf@background"; of a class that is not Attar's, its name."""
        known = {**weights.CLASSES, **shapers.CLASSES}
        return str(self.make(known, "part").name) if self.name in known else self.name
