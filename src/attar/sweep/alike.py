"""Scores stand side by side only if they are of the same rows by the same models, each recipe once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attar.errors import InputError
from attar.sweep.failures import check_scored
from attar.sweep.store import CellRow

_ADVICE = "give each a run of its own, and report them apart"


def check_run(rows: Sequence[CellRow], where: str) -> None:
    """Refuse what can't be shown: no cell with a score, or cells that do not belong side by side."""
    check_scored(rows, where)
    check_alike(row for row in rows if row.score is not None)


def check_alike(rows: Iterable[CellRow]) -> None:
    """Refuse cells that a report would take for the same task, model or recipe though they are not."""
    texts: dict[str, int] = {}
    models: dict[str, str] = {}
    cells: dict[tuple[object, ...], str] = {}
    for row in rows:
        task, name = row.task, row.model
        if texts.setdefault(task, row.texts) != row.texts:
            raise InputError(f"{task} is there with {texts[task]:,} and with {row.texts:,} texts: {_ADVICE}")
        if models.setdefault(name, row.model_sha256) != row.model_sha256:
            raise InputError(f"two models are called {name!r}: rename a folder, or {_ADVICE}")
        if cells.setdefault((task, *row.fields), row.cell) != row.cell:
            raise InputError(
                f"{task} is there twice for the same recipe, with other rows, labels, runs or corpora: {_ADVICE}"
            )
