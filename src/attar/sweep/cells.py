"""Cells: a recipe on a subject, with an id that changes when anything that its score depends on does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from attar import shapers, weights
from attar.sweep.grid import Choice, Grid, template_text
from attar.sweep.subjects import Subject
from attar.types import Encoder

FORMAT = 1  # one more whenever the same cell would get another score


@dataclass(frozen=True)
class Corpora:
    """Hashes of the background texts as they are used: counted whole, a part through the model, a part for Avg."""

    counted: str
    embedded: str
    averaged: str


@dataclass(frozen=True)
class Cell:
    """One score to be found."""

    id: str
    subject: Subject
    choice: Choice


def cells_of(
    grid: Grid,
    template: str,
    encoder: Encoder,
    model_sha256: str,
    subjects: Mapping[str, tuple[Subject, ...]],
    corpora: Corpora,
) -> dict[str, Cell]:
    """All cells of a grid for one model and template, each once, by id."""
    text = template_text(template)
    prints = {subject.name: subject.fingerprint for members in subjects.values() for subject in members}
    found: dict[str, Cell] = {}
    for part in grid.parts:
        members = {subject.name: subject for name in part.tasks for subject in subjects[name]}
        for choice in part.recipes(template, encoder):
            for subject in members.values():
                key = {
                    "format": FORMAT,
                    "model": model_sha256,
                    "template": text,
                    "subject": [subject.name, prints[subject.name]],
                    "choice": [list(choice.layers), choice.weights, choice.shape, choice.mix],
                    "runs": grid.runs if subject.family == "clustering" else None,
                    "corpora": _used(choice, corpora),
                }
                cell_id = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:20]
                found[cell_id] = Cell(cell_id, subject, choice)
    return found


def is_local(weighting: str) -> bool:
    """Whether these weights learn from the texts of the task, so that every task has its own."""
    made = weights.parse(weighting)
    return made.needs_texts and made.on == "target"


def shapes_background(shape: str) -> bool:
    """Whether a chain of shapers has one that is fitted on the background corpus."""
    return any(shaper.on == "background" for shaper in shapers.parse(shape))


def _used(choice: Choice, corpora: Corpora) -> list[str | None]:
    return [
        corpora.counted if weights.parse(choice.weights).on == "background" else None,
        corpora.embedded if shapes_background(choice.shape) else None,
        corpora.averaged if choice.mix != 0 else None,
    ]
