"""Scores stand side by side only if they are of the same rows by the same models, each recipe once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from attar.errors import InputError
from attar.sweep.best import RecipeKey
from attar.sweep.failures import check_scored
from attar.sweep.store import CellRow

_ADVICE = "give each a run of its own, and report them apart"


class Mark(NamedTuple):
    """What tells a cell from those that only look like it."""

    cell: str
    task: str
    texts: int
    model_sha256: str
    recipe: RecipeKey

    @classmethod
    def of(cls, row: CellRow) -> Mark:
        return cls(row.cell, row.task, row.texts, row.model_sha256, RecipeKey.of(row))


def check_run(rows: Sequence[CellRow], where: str) -> None:
    """Refuse what can't be shown: no cell with a score, or cells that do not belong side by side."""
    check_scored(rows, where)
    check_alike(Mark.of(row) for row in rows if row.score is not None)


def check_alike(marks: Iterable[Mark]) -> None:
    """Refuse cells that a report would take for the same task, model or recipe though they are not."""
    texts: dict[str, int] = {}
    models: dict[str, str] = {}
    cells: dict[tuple[str, RecipeKey], str] = {}
    for mark in marks:
        task, name = mark.task, mark.recipe.model
        if texts.setdefault(task, mark.texts) != mark.texts:
            raise InputError(f"{task} is there with {texts[task]:,} and with {mark.texts:,} texts: {_ADVICE}")
        if models.setdefault(name, mark.model_sha256) != mark.model_sha256:
            raise InputError(f"two models are called {name!r}: rename a folder, or {_ADVICE}")
        if cells.setdefault((task, mark.recipe), mark.cell) != mark.cell:
            raise InputError(
                f"{task} is there twice for the same recipe, with other rows, labels, runs or corpora: {_ADVICE}"
            )
