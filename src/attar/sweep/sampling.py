"""A part of a task: so many rows, drawn once and for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from attar.tasks.types import ClassifyTask, ClusterTask, StsTask, Task
from attar.types import Ints

SEED = 0


def sample_task(task: Task, rows: int | None) -> Task:
    """The task itself where it has no more rows; else these of its rows, in their order."""
    if isinstance(task, StsTask):
        return _sample_sts(task, rows)
    if isinstance(task, ClusterTask):
        return _sample_clusters(task, rows)
    return _sample_classify(task, rows)


def draw(n: int, wanted: int | None) -> Ints | None:
    """Which of n rows to take, ascending; None where it is all of them."""
    if wanted is None or wanted >= n:
        return None
    return np.sort(np.random.default_rng(SEED).permutation(n)[:wanted])


def _sample_sts(task: StsTask, rows: int | None) -> StsTask:
    chosen = draw(len(task.left), rows)
    if chosen is None:
        return task
    return replace(
        task,
        left=_take(task.left, chosen),
        right=_take(task.right, chosen),
        scores=task.scores[chosen],
        subsets=_take(task.subsets, chosen) if task.subsets else (),
    )


def _sample_clusters(task: ClusterTask, rows: int | None) -> ClusterTask:
    chosen = draw(len(task.texts), rows)
    if chosen is None:
        return task
    kept, labels = np.unique(task.labels[chosen], return_inverse=True)  # small classes may be gone
    return replace(
        task,
        texts=_take(task.texts, chosen),
        labels=labels.astype(np.int64),
        classes=tuple(task.classes[int(i)] for i in kept),
    )


def _sample_classify(task: ClassifyTask, rows: int | None) -> ClassifyTask:
    n = len(task.left)
    if rows is None or rows >= n:
        return task
    sizes = {name: len(range(*where.indices(n))) for name, where in (task.splits or {"all": slice(0, n)}).items()}
    shares = _shares(sizes, rows)
    chosen: list[Ints] = []
    splits: dict[str, slice] = {}
    for name, where in sorted(task.splits.items(), key=lambda item: item[1].start or 0) or [("all", slice(0, n))]:
        some = draw(sizes[name], shares[name])
        begun = sum(map(len, chosen))
        chosen.append((where.start or 0) + (np.arange(sizes[name]) if some is None else some))
        splits[name] = slice(begun, begun + len(chosen[-1]))
    taken = np.concatenate(chosen)
    return replace(
        task,
        left=_take(task.left, taken),
        right=_take(task.right, taken) if task.right else (),
        labels=task.labels[taken],
        splits=splits if task.splits else {},
    )


def _shares(sizes: Mapping[str, int], rows: int) -> dict[str, int]:
    """Half of the rows test, if there are so many: small tests measure nothing. The others shrink alike."""
    test = min(sizes.get("test", 0), max(1, rows // 2))
    others = {name: size for name, size in sizes.items() if name != "test"}
    rest = sum(others.values())
    return {"test": test} | {name: max(1, round((rows - test) * size / rest)) for name, size in others.items()}


def _take(texts: tuple[str, ...], chosen: Ints) -> tuple[str, ...]:
    return tuple(texts[int(i)] for i in chosen)
