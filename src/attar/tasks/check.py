"""Which of the published tasks a folder holds, and whether they are whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from attar.errors import DataError
from attar.tasks.assemble import assemble
from attar.tasks.catalogue import CATALOGUE
from attar.tasks.declaration import Declaration, Family
from attar.tasks.find import find

Status = Literal["ok", "missing", "wrong"]


@dataclass(frozen=True)
class Finding:
    """What a folder holds of one task.

    Parameters
    ----------
    task : str
        The name of the task.
    family : str
        "sts", "clustering" or "classification".
    status : {"ok", "missing", "wrong"}
        Whether the task can be loaded.
    expected : dict of str to int
        The published number of rows by split.
    found : dict of str to int
        The number of rows in the folder by split.
    form : str
        The form in which the files are distributed.
    paths : tuple of Path
        The files.
    problem : str
        What is wrong or missing, and what to do.
    """

    task: str
    family: Family
    status: Status
    expected: dict[str, int]  # split: published rows
    found: dict[str, int] = field(default_factory=dict)  # split: rows here
    form: str = ""
    paths: tuple[Path, ...] = ()
    problem: str = ""  # what is wrong or missing, and what to do


def check(data: str | Path) -> list[Finding]:
    """Look for each of the 26 tasks in a folder.

    Parameters
    ----------
    data : str or Path
        The folder that holds the datasets.

    Returns
    -------
    list of Finding
        One per task, in the order of the paper; a task that is wrong does not stop the others.

    Raises
    ------
    DataError
        If it is not a folder.
    """
    folder = Path(data)
    if not folder.is_dir():
        raise DataError(f"{str(folder)!r} is not a folder: name the folder that holds the datasets")
    return [_check(wanted, folder) for wanted in CATALOGUE]


def _check(wanted: Declaration, folder: Path) -> Finding:
    splits = wanted.scored_splits
    expected = {split: wanted.rows[split] for split in splits}
    try:
        there = find(wanted, folder, splits)
    except DataError as error:
        return Finding(wanted.name, wanted.family, "missing", expected, problem=str(error))
    found: dict[str, int] = {}
    try:
        tables = there.read()
        found = {split: len(table) for split, table in tables.items()}
        assemble(wanted, tables, rows="published")
    except DataError as error:
        return Finding(wanted.name, wanted.family, "wrong", expected, found, there.form.title, there.paths, str(error))
    return Finding(wanted.name, wanted.family, "ok", expected, found, there.form.title, there.paths)
