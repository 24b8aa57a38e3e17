"""PassPlan: which texts go through the model, in which blocks, and under which weights each is pooled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attar.pipeline import distinct_texts
from attar.sweep.subjects import BACKGROUND as BACKGROUND
from attar.sweep.subjects import Subject
from attar.types import Ints

MODEL, AVERAGE = "model", "average"  # the two sides of a mix

LayerGroups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class PassPlan:
    """Every distinct text once. Weights that learn from a task make one vector for each task a text belongs to.

    A block of pooled vectors holds, for each text, one slot for each of the `shared` weights and then one for each of
    the `local` weights of its first task, of its second, and so on.
    """

    texts: tuple[str, ...]
    rows: Mapping[str, Ints]  # for each subject (and the background), which text each of its rows is
    members: tuple[tuple[str, ...], ...]  # for each text, the subjects under whose local weights it is pooled
    shared: tuple[str, ...]
    local: tuple[str, ...]
    layers: Mapping[str, LayerGroups]  # for the model and for Avg., layers of the same width together
    block_texts: int

    @property
    def n_blocks(self) -> int:
        return -(-len(self.texts) // self.block_texts)

    def block(self, b: int) -> range:
        """The texts of a block."""
        return range(b * self.block_texts, min((b + 1) * self.block_texts, len(self.texts)))

    def n_slots(self, b: int) -> int:
        deepest = max(len(self.members[i]) for i in self.block(b))
        return len(self.shared) + len(self.local) * deepest

    def slot(self, weighting: str, subject: str, text: int) -> int:
        """Where the vector of a text stands under these weights, seen from a subject."""
        if weighting in self.shared:
            return self.shared.index(weighting)
        place = self.members[text].index(subject)
        return len(self.shared) + place * len(self.local) + self.local.index(weighting)

    def n_bytes(self, widths: Mapping[int, int]) -> int:
        """What all pooled vectors take on disk, as float16."""
        slots = sum(self.n_slots(b) * len(self.block(b)) for b in range(self.n_blocks))
        return slots * 2 * sum(widths[n] for groups in self.layers.values() for group in groups for n in group)

    def n_table_bytes(self, n_tokens: int, widths: Mapping[int, int]) -> int:
        """What the table of Avg. takes beside them, as float32."""
        return n_tokens * 4 * sum(widths[n] for group in self.layers.get(AVERAGE, ()) for n in group)


def make_plan(
    subjects: Sequence[Subject],
    background: Sequence[str],
    shared: Sequence[str],
    local: Sequence[str],
    layers: Mapping[str, LayerGroups],
    block_texts: int,
) -> PassPlan:
    """Background texts, if there are any, are pooled under every subject's local weights: their shapers need it."""
    everything = [text for subject in subjects for text in subject.texts] + list(background)
    texts, index = distinct_texts(everything)
    rows: dict[str, Ints] = {}
    start = 0
    for name, size in [*((s.name, len(s.texts)) for s in subjects), (BACKGROUND, len(background))]:
        rows[name] = index[start : start + size]
        start += size
    members: list[dict[str, None]] = [{} for _ in texts]
    if local:
        for subject in subjects:
            for i in np.unique(np.concatenate([rows[subject.name], rows[BACKGROUND]])):
                members[i][subject.name] = None
    return PassPlan(
        tuple(texts),
        rows,
        tuple(tuple(m) for m in members),
        tuple(shared),
        tuple(local),
        layers,
        block_texts,
    )
