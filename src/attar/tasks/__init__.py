"""The tasks of the paper and your own: what they are, how they are read, what was published about them."""

from __future__ import annotations

from attar.tasks.assemble import RowCheck
from attar.tasks.check import Finding, check
from attar.tasks.declaration import FAMILIES, Declaration, Family
from attar.tasks.load import load, load_selection, selected
from attar.tasks.names import declaration, names, select
from attar.tasks.own import from_file
from attar.tasks.types import ClassifyTask, ClusterTask, StsTask, Task

__all__ = [
    "FAMILIES",
    "ClassifyTask",
    "ClusterTask",
    "Declaration",
    "Family",
    "Finding",
    "RowCheck",
    "StsTask",
    "Task",
    "check",
    "declaration",
    "from_file",
    "load",
    "load_selection",
    "names",
    "select",
    "selected",
]
