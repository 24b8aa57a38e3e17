"""Checks before the cells of a run are shown: there are scores, and they are comparable with each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from attar.errors import InputError
from attar.sweep.store import CellRow
from attar.sweep.subjects import MEASURES, is_taken

_ADVICE = "give each a run of its own, and report them apart"


def check_run(rows: Sequence[CellRow], where: str) -> None:
    """Refuse what can't be shown: no cell with a score, or cells that do not belong side by side."""
    check_scored(rows, where)
    check_comparable(row for row in rows if row.score is not None)


def check_comparable(rows: Iterable[CellRow]) -> None:
    """Refuse cells that a report would take for the same task, model or recipe though they are not."""
    texts: dict[str, int] = {}
    models: dict[str, str] = {}
    cells: dict[tuple[object, ...], str] = {}
    for row in rows:
        task, name = row.task, row.model
        if is_taken(task) and not task == row.family in MEASURES:
            raise InputError(
                f"a task is called {task!r}, which stands for something else in a run: rename its file, to "
                f"'my-{task}' for example, and sweep it into a run of its own"
            )
        if texts.setdefault(task, row.texts) != row.texts:
            raise InputError(f"{task} is there with {texts[task]:,} and with {row.texts:,} texts: {_ADVICE}")
        if models.setdefault(name, row.model_sha256) != row.model_sha256:
            raise InputError(f"two models are called {name!r}: rename a folder, or {_ADVICE}")
        if cells.setdefault((task, *row.fields), row.cell) != row.cell:
            raise InputError(
                f"{task} is there twice for the same recipe, with other rows, labels, runs or corpora: {_ADVICE}"
            )


def failures(rows: Sequence[CellRow]) -> str | None:
    """How many cells have no score and the reason that most of them have; None where all have one."""
    reasons = Counter(row.error or "no reason is known" for row in rows if row.score is None)
    if not reasons:
        return None
    (reason, n), total = reasons.most_common(1)[0], reasons.total()
    cells = "1 cell has" if total == 1 else f"{total:,} cells have"
    return f"{cells} no score: {reason}" + ("" if n == total else f" ({n:,} of them; attar report lists the rest)")


def check_scored(rows: Sequence[CellRow], where: str) -> None:
    """Refuses a run that can't be shown: none of its cells has a score."""
    if not any(row.score is not None for row in rows):
        raise InputError(f"nothing to show of {where}: {failures(rows) or 'it has no cell yet; run attar sweep first'}")
