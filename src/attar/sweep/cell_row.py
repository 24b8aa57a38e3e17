"""CellRow: one scored cell of a sweep, as it is kept and shown."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from attar.checkpoints import default
from attar.encoders.wrappers import WRAPPERS
from attar.recipe import Recipe

DEFAULT_NAME = "all-MiniLM-L6-v2"  # the embedded model under its own name


@dataclass(frozen=True)
class CellRow:
    """One scored cell. Scores are from 0 to 1, as `attar.scores` gives them; None where `error` says why."""

    cell: str  # the hash of all that determines the score
    task: str
    model: str
    template: str
    layers: str  # "1+12"
    weights: str
    shape: str  # "zscore,unit"; "none"
    mix: float  # the weight of Avg.
    family: str
    metric: str
    texts: int  # how many the task had
    score: float | None
    low: float | None
    high: float | None
    error: str | None
    recipe: str  # JSON
    details: str  # JSON: rows sampled, runs, corpora, the model's first and last layer, the score on resamples of rows
    attar: str  # version
    model_sha256: str
    seconds: float

    def with_one_name(self) -> CellRow:
        """The same cell; of the embedded model, which earlier versions also called "default", under its own name."""
        name, space, variant = self.model.partition(" ")
        if name != default.NAME or [spec.get("model") for spec in self._encoders[-1:]] != [default.NAME]:
            return self
        return replace(self, model=DEFAULT_NAME + space + variant)

    @property
    def _encoders(self) -> list[dict[str, Any]]:
        """What the stored recipe says of its encoder, from the outside to the inside."""
        found, spec = [], json.loads(self.recipe).get("encoder")
        while isinstance(spec, dict):
            found.append(spec)
            spec = spec.get("a", spec.get("encoder"))
        return found

    @property
    def is_wrapped(self) -> bool:
        """Whether something stands around its model, such as a pooling other than the weighted mean."""
        return any(spec.get("type") in WRAPPERS for spec in self._encoders)

    @property
    def draws(self) -> list[float]:
        """The score on resamples of rows, the same for all recipes of a task; empty where it was not kept."""
        return list(json.loads(self.details).get("draws", []))

    @property
    def fields(self) -> tuple[str, str, str, str, str, float]:
        """The columns that say which recipe it is: the same for the same recipe on other tasks."""
        return self.model, self.template, self.layers, self.weights, self.shape, self.mix

    def shown_recipe(self) -> Recipe:
        """The recipe after these columns, with the model's short name."""
        model, template, layers, weights, shape, mix = self.fields
        return Recipe.of_fields(model, template, layers.replace("+", ","), weights, shape, mix)

    def full_recipe(self) -> Recipe:
        """The recipe as stored, with all that opens the model."""
        found = Recipe.from_json(json.loads(self.recipe))
        # Version 0.1 stored mixed cells as if they were not mixed; only the column told.
        return found if found.mix == self.mix else found.mixed(self.mix)
