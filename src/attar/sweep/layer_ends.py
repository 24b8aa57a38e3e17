"""LayerEnds: the numbers that "first" and "last" stand for with a model, as the cells of a run tell them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from attar.layers import resolve_layers
from attar.sweep.cell_row import CellRow
from attar.types import Encoder

_FIRST, _LAST = "first_layer", "last_layer"  # in the details of a cell


@dataclass(frozen=True)
class LayerEnds:
    """The first and the last layer of a model; both are one where it has no more."""

    first: int
    last: int

    @classmethod
    def of(cls, encoder: Encoder) -> LayerEnds:
        """Those of a model that is at hand."""
        return cls(*(resolve_layers(name, encoder)[0][0] for name in ("first", "last")))

    @property
    def details(self) -> dict[str, int]:
        """What a cell keeps of it."""
        return {_FIRST: self.first, _LAST: self.last}


def layer_ends(rows: Iterable[CellRow]) -> dict[str, LayerEnds]:
    """By the names of models; where no cell tells, as in runs of earlier versions, the last is the highest there is."""
    told: dict[str, LayerEnds] = {}
    highest: dict[str, int] = {}
    for row in rows:
        if row.model not in told:
            details = json.loads(row.details)
            if _FIRST in details and _LAST in details:
                told[row.model] = LayerEnds(details[_FIRST], details[_LAST])
        numbers = [int(layer) for layer in row.layers.split("+")]
        highest[row.model] = max(highest.get(row.model, -1), *numbers)
    return {model: LayerEnds(min(1, last), last) for model, last in highest.items()} | told
