"""From the tables of a published task to the task, checked against what was published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from attar.errors import DataError
from attar.tasks.build import classify_task, cluster_task, sts_task
from attar.tasks.declaration import Declaration
from attar.tasks.readers.table import ColumnTable
from attar.tasks.types import StsTask, Task

RowCheck = Literal["published", "any"]


def assemble(wanted: Declaration, tables: Mapping[str, ColumnTable], rows: RowCheck) -> Task:
    """The task; with rows="published" only if it has the published rows and classes."""
    for split, table in tables.items():
        if len(table) == 0:
            raise DataError(f"{table.source} holds no rows: fetch it again ({', '.join(wanted.sources)})")
        if rows == "published" and len(table) != wanted.rows[split]:
            part = "" if split == "all" else f", {split}"
            raise DataError(
                f"{table.source} holds {len(table)} rows, the published {wanted.name}{part} has {wanted.rows[split]}: "
                f"fetch it again ({', '.join(wanted.sources)}), or say rows='any' to use it as it is"
            )
    task = _build(wanted, tables)
    if rows == "published" and not isinstance(task, StsTask) and len(task.classes) != wanted.n_classes:
        raise DataError(
            f"{wanted.name} has {len(task.classes)} classes here ({', '.join(task.classes[:10])}), the published one "
            f"{wanted.n_classes}: fetch it again ({', '.join(wanted.sources)}), or say rows='any' to use it as it is"
        )
    return task


def _build(wanted: Declaration, tables: Mapping[str, ColumnTable]) -> Task:
    if wanted.family == "classification":
        return classify_task(wanted.name, tables, pairs=wanted.pairs, soft_scale=wanted.scale)
    (table,) = tables.values()
    if wanted.family == "sts":
        return sts_task(wanted.name, table, wanted.scale)
    return cluster_task(wanted.name, table)
