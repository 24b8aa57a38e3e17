"""Cells that can't differ: a pooling that asks only which tokens count gives the same vectors for many weights."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence

import numpy as np

from attar import weights
from attar.pipeline import distinct_texts, fit_weights
from attar.pooling import scale_weights
from attar.sweep.background import Background
from attar.sweep.cells import Cell, is_local, shapes_background
from attar.sweep.subjects import Subject
from attar.types import Encoder
from attar.weights import Weighting

log = logging.getLogger("attar")
PLAIN = "mean"
_AT_ONCE = 4096  # texts


def without_same(cells: Mapping[str, Cell], encoder: Encoder, background: Background, title: str) -> dict[str, Cell]:
    """The cells without those whose weights count the same tokens as others do, in all texts of all tasks.

    Weights that differ in one task are kept in all, so that families have them. Of equal cells that with the plain
    weights is kept, else the first. What is left out is told, under this title.
    """
    named = list(dict.fromkeys(cell.recipe.weights.text for cell in cells.values()))
    if len(named) < 2:
        return dict(cells)
    subjects = {cell.subject.name: cell.subject for cell in cells.values()}
    beside = background.embedded if any(shapes_background(cell.recipe.shape) for cell in cells.values()) else ()
    shared = {name: weights.parse(name) for name in named if not is_local(name)}
    for weighting in shared.values():
        fit_weights(weighting, encoder, {"background": background.counted})
    of_each = [_counted(encoder, subject, beside, named, shared) for subject in subjects.values()]
    counted = {name: tuple(found[name] for found in of_each) for name in named}
    kept: dict[tuple[object, ...], Cell] = {}
    twins: dict[tuple[str, str], int] = {}
    for cell in sorted(cells.values(), key=lambda cell: cell.recipe.weights.text != PLAIN):
        recipe = cell.recipe
        key = cell.subject.name, cell.layers, recipe.shape, recipe.mix, counted[recipe.weights.text]
        first = kept.setdefault(key, cell)
        if first is not cell:
            pair = recipe.weights.text, first.recipe.weights.text
            twins[pair] = twins.get(pair, 0) + 1
    if twins:
        told = ", ".join(f"{n:,} of {name} (as {first})" for (name, first), n in twins.items())
        log.info("%s: this pooling asks which tokens count, not how much, so equal cells are left out: %s", title, told)
    ids = {cell.id for cell in kept.values()}
    return {cell_id: cell for cell_id, cell in cells.items() if cell_id in ids}


def _counted(
    encoder: Encoder, subject: Subject, beside: Sequence[str], named: Sequence[str], shared: Mapping[str, Weighting]
) -> dict[str, str]:
    """For each weighting a hash of which tokens count, of a subject's texts and of those beside them."""
    local = {name: weights.parse(name) for name in named if name not in shared}
    for weighting in local.values():
        fit_weights(weighting, encoder, {"target": subject.texts})
    texts = distinct_texts([*subject.texts, *beside])[0]
    hashes = {name: hashlib.sha256() for name in named}
    for start in range(0, len(texts), _AT_ONCE):
        tokens = encoder.tokenize(texts[start : start + _AT_ONCE])
        for name, weighting in {**shared, **local}.items():
            scaled, _ = scale_weights(weighting.weigh(tokens), tokens)
            hashes[name].update(np.packbits(scaled > 0).tobytes())
    return {name: found.hexdigest() for name, found in hashes.items()}
