"""Meanings: what names stand for with a model, "first", "last" and the named recipes, as the cells of a run tell it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from attar.layers import resolve_layers
from attar.sweep.cell_row import CellRow
from attar.types import Encoder

_FIRST, _LAST, _TUNED = "first_layer", "last_layer", "tuned_for_sentences"  # in the details of a cell


@dataclass(frozen=True)
class Meanings:
    """The first and the last layer of a model (one where it has no more), and whether it was tuned for sentences."""

    first: int
    last: int
    tuned: bool = False

    @classmethod
    def of(cls, encoder: Encoder) -> Meanings:
        """Those of a model that is at hand."""
        first, last = (resolve_layers(name, encoder)[0][0] for name in ("first", "last"))
        return cls(first, last, encoder.tuned_for_sentences)

    @property
    def details(self) -> dict[str, int | bool]:
        """What a cell keeps of it."""
        return {_FIRST: self.first, _LAST: self.last, _TUNED: self.tuned}


def meanings(rows: Iterable[CellRow]) -> dict[str, Meanings]:
    """By the names of models; where no cell tells, as in runs of earlier versions, the last is the highest there is."""
    told: dict[str, Meanings] = {}
    highest: dict[str, int] = {}
    for row in rows:
        if row.model not in told:
            details = json.loads(row.details)
            if _FIRST in details and _LAST in details:
                told[row.model] = Meanings(details[_FIRST], details[_LAST], details.get(_TUNED, False))
        numbers = [int(layer) for layer in row.layers.split("+")]
        highest[row.model] = max(highest.get(row.model, -1), *numbers)
    return {model: Meanings(min(1, last), last) for model, last in highest.items()} | told
