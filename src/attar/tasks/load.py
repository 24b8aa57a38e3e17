"""Loading tasks by name, or from files of your own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attar.errors import InputError, unknown_name
from attar.tasks.assemble import RowCheck, assemble
from attar.tasks.declaration import FAMILIES, Declaration
from attar.tasks.find import find
from attar.tasks.names import declaration, select
from attar.tasks.own import SUFFIXES, from_file
from attar.tasks.types import Task


def load(
    name: str | Path, data: str | Path | None = None, *, split: str | None = None, rows: RowCheck = "published"
) -> Task:
    """Load a task by name from a folder of datasets, or from a file of your own.

    STS tasks hold the pairs they are scored on (of STS-B and SICK-R: test) unless `split` names another part.

    Parameters
    ----------
    name : str or Path
        The name of a published task; or the path to a task of your own (see `from_file`), where "FAMILY:PATH" says
        of which family it is.
    data : str or Path, optional
        The folder that holds the datasets; needed for published tasks.
    split : str, optional
        The part of an STS task to load: "train", "dev" or "test".
    rows : {"published", "any"}
        "any" takes files whose number of rows or classes is not the published one.

    Returns
    -------
    StsTask, ClusterTask or ClassifyTask
        Texts and answers.

    Raises
    ------
    InputError
        If the name, split or choice of rows is unknown, or `data` is missing.
    DataError
        If files are missing, damaged or of another size.

    Examples
    --------
    >>> load("STS-B", data="DIR").texts  # doctest: +SKIP
    """
    own = _own_file(str(name))
    if own is not None:
        return from_file(own[1], own[0])
    if rows not in ("published", "any"):
        raise unknown_name("row check", rows, ("published", "any"))
    wanted = declaration(str(name))
    if data is None:
        raise InputError(
            f"the task {wanted.name} needs the folder that holds its data: --data DIR, or "
            f"load({wanted.name!r}, data=DIR)"
        )
    return assemble(wanted, find(wanted, Path(data), _splits(wanted, split)).read(), rows)


def load_selection(selection: str, data: str | Path | None = None, *, rows: RowCheck = "published") -> Iterator[Task]:
    """Load the tasks of a selection, one after the other.

    Parameters
    ----------
    selection : str
        "sts", "all", "STS12,tweet"; a path may stand for a name.
    data : str or Path, optional
        The folder that holds the datasets.
    rows : {"published", "any"}
        "any" takes files whose number of rows or classes is not the published one.

    Yields
    ------
    StsTask, ClusterTask or ClassifyTask
        Each task when it is asked for.

    Raises
    ------
    InputError
        If a name is unknown.
    """
    return (load(name, data, rows=rows) for name in selected(selection))


def selected(selection: str) -> list[str]:
    """The names and paths that a selection stands for.

    Parameters
    ----------
    selection : str
        "sts", "all", "STS12,tweet"; a path may stand for a name.

    Returns
    -------
    list of str
        Each name or path once, in order.

    Raises
    ------
    InputError
        If a name is unknown.
    """
    parts = [selection] if Path(selection).is_file() else [part.strip() for part in selection.split(",")]
    chosen: dict[str, None] = {}
    for part in parts:
        chosen.update(dict.fromkeys([part] if _own_file(part) else [task.name for task in select(part)]))
    return list(chosen)


def _own_file(name: str) -> tuple[str | None, Path] | None:
    """Family (None where it is not said) and path, where the name is that of a file."""
    if Path(name).is_file():
        return None, Path(name)
    family, colon, path = name.partition(":")
    if colon and family in FAMILIES:
        return family, Path(path)
    if name.lower().removesuffix(".gz").endswith(SUFFIXES) and "," not in name:
        raise InputError(f"no file {name!r}: check the path, or give the name of a published task")
    return None


def _splits(wanted: Declaration, split: str | None) -> tuple[str, ...]:
    if split is None:
        return wanted.scored_splits
    if wanted.family != "sts":
        raise InputError(
            f"{wanted.name} is a {wanted.family} task and comes with all its rows: leave split={split!r} out"
        )
    if split not in wanted.rows:
        raise unknown_name(f"split of {wanted.name}", split, wanted.splits)
    return (split,)
