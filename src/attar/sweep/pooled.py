"""PooledBlocks: what the forward pass left on disk, read back as sentence vectors of any recipe before its shapers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from attar.sweep.blocks import read_vectors
from attar.sweep.collect import block_path
from attar.sweep.plan import AVERAGE, MODEL, PassPlan
from attar.types import Floats, Ints


@dataclass(frozen=True)
class PooledBlocks:
    """The blocks of a plan."""

    plan: PassPlan
    folder: Path
    _distinct: dict[str, tuple[Ints, Ints]] = field(default_factory=dict)

    def distinct(self, name: str) -> tuple[Ints, Ints]:
        """The texts of a subject, each once and ascending, and which of them each of its rows is."""
        if name not in self._distinct:
            texts, rows = np.unique(self.plan.rows[name], return_inverse=True)
            self._distinct[name] = texts, rows
        return self._distinct[name]

    def vectors(self, of: str, subject: str, weighting: str, layers: tuple[int, ...], mix: float) -> Floats:
        """Of the distinct texts of a subject or of the background, under a subject's weights. Shape: (distinct, D)"""
        if mix == 0:
            return self._side(MODEL, of, subject, weighting, layers)
        average = self._side(AVERAGE, of, subject, weighting, layers)
        if mix == 1:
            return average
        model = self._side(MODEL, of, subject, weighting, layers)
        mixed: Floats = np.float32(1 - mix) * model + np.float32(mix) * average
        return mixed

    def _side(self, side: str, of: str, subject: str, weighting: str, layers: tuple[int, ...]) -> Floats:
        texts = self.distinct(of)[0]
        slots = np.array([self.plan.slot(weighting, subject, int(i)) for i in texts])
        groups = self.plan.layers[side]
        group = next(g for g, known in enumerate(groups) if layers[0] in known)
        places = [groups[group].index(layer) for layer in layers]
        blocks, rows = np.divmod(texts, self.plan.block_texts)
        found: list[Any] = []
        for b in np.unique(blocks):
            here = blocks == b
            path = block_path(self.folder, side, group, int(b))
            sums = sum(read_vectors(path, place, slots[here], rows[here]) for place in places)
            found.append(sums / np.float32(len(places)))
        return np.concatenate(found)
