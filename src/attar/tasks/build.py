"""From tables to tasks: labels become numbers, scores are checked, splits are laid end to end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from attar.errors import DataError
from attar.tasks.readers.table import ColumnTable
from attar.tasks.types import ClassifyTask, ClusterTask, StsTask
from attar.types import Ints

Scale = tuple[float, float]


def sts_task(name: str, table: ColumnTable, scale: Scale | None = None) -> StsTask:
    scores = table.numbers("score", scale)
    if len(scores) and (scores == scores[0]).all():
        raise DataError(
            f"{table.source}: all {len(scores)} pairs have the score {scores[0]:g}; "
            f"a correlation needs scores that differ. Check the column of scores"
        )
    return StsTask(
        name=name,
        left=tuple(table["sentence1"]),
        right=tuple(table["sentence2"]),
        scores=scores,
        subsets=tuple(table["subset"]) if "subset" in table else (),
    )


def cluster_task(name: str, table: ColumnTable) -> ClusterTask:
    labels, classes = numbered(table["label"], table.source)
    return ClusterTask(name=name, texts=tuple(table["text"]), labels=labels, classes=classes)


def classify_task(
    name: str, tables: Mapping[str, ColumnTable], *, pairs: bool, soft_scale: Scale | None = None
) -> ClassifyTask:
    """One table per split, or a single one under "all" for cross-validation; soft where a scale is given."""
    source = " + ".join(table.source for table in tables.values())
    texts = "sentence1" if pairs else "text"
    left = tuple(text for table in tables.values() for text in table[texts])
    right = tuple(text for table in tables.values() for text in table["sentence2"]) if pairs else ()
    splits = {} if set(tables) == {"all"} else _slices({split: len(table) for split, table in tables.items()})
    if soft_scale is not None:
        scores = np.concatenate([table.numbers("score", soft_scale) for table in tables.values()])
        lowest, highest = soft_scale
        classes = tuple(str(k) for k in range(int(lowest), int(highest) + 1))
        return ClassifyTask(name, left, right, labels=scores, classes=classes, splits=splits, soft=True)
    labels, classes = numbered([label for table in tables.values() for label in table["label"]], source)
    return ClassifyTask(name, left, right, labels=labels, classes=classes, splits=splits)


def numbered(labels: Sequence[str], source: str) -> tuple[Ints, tuple[str, ...]]:
    """Class numbers and names; names that are whole numbers are ordered as numbers. Shape: (N,)"""
    present = set(labels)
    if len(present) < 2:
        only = next(iter(present), None)
        raise DataError(f"{source}: {len(labels)} rows, all of one class ({only!r}); at least 2 classes are needed")
    if all(label.isdecimal() for label in present):
        classes = tuple(sorted(present, key=lambda label: (int(label), label)))
    else:
        classes = tuple(sorted(present))
    number = {label: k for k, label in enumerate(classes)}
    return np.array([number[label] for label in labels], dtype=np.int64), classes


def _slices(lengths: Mapping[str, int]) -> dict[str, slice]:
    slices = {}
    start = 0
    for split, length in lengths.items():
        slices[split] = slice(start, start + length)
        start += length
    return slices
