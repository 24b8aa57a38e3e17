"""Cells: a recipe on a subject, with an id that changes when anything that its score depends on does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from attar import shapers, weights
from attar.recipe import Recipe
from attar.sweep.grid import Grid, template_text
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
    recipe: Recipe

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers of its recipe, which are numbers in a sweep."""
        return tuple(int(layer) for layer, _ in self.recipe.layers)


def cells_of(
    grid: Grid,
    template: str,
    encoder: Encoder,
    model_key: str,
    subjects: Mapping[str, tuple[Subject, ...]],
    corpora: Corpora,
) -> dict[str, Cell]:
    """All cells of a grid for one model and template, each once, by id."""
    text = template_text(template)
    prints = {subject.name: subject.fingerprint for members in subjects.values() for subject in members}
    found: dict[str, Cell] = {}
    for part in grid.parts:
        members = {subject.name: subject for name in part.tasks for subject in subjects[name]}
        for recipe in part.recipes(template, encoder):
            for subject in members.values():
                key = {
                    "format": FORMAT,
                    "model": model_key,
                    "template": text,
                    "subject": [subject.name, prints[subject.name]],
                    "choice": _choice(recipe),
                    "runs": grid.runs if subject.family == "clustering" else None,
                    "corpora": _used(recipe, corpora),
                }
                cell_id = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:20]
                found[cell_id] = Cell(cell_id, subject, recipe)
    return found


def is_local(weighting: str) -> bool:
    """Whether these weights learn from the texts of the task, so that every task has its own."""
    made = weights.parse(weighting)
    return made.needs_texts and made.on == "target"


def shapes_background(shape: str) -> bool:
    """Whether a chain of shapers has one that is fitted on the background corpus."""
    return any(shaper.on == "background" for shaper in shapers.parse(shape))


def _choice(recipe: Recipe) -> list[object]:
    """What the id of a cell is the hash of, unchanged since version 0.1."""
    return [[layer for layer, _ in recipe.layers], recipe.weights.text, recipe.shape, recipe.mix]


def _used(recipe: Recipe, corpora: Corpora) -> list[str | None]:
    return [
        corpora.counted if recipe.weights.params.get("on") == "background" else None,
        corpora.embedded if any(part.params.get("on") == "background" for part in recipe.shapers) else None,
        corpora.averaged if recipe.mix != 0 else None,
    ]
