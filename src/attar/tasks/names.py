"""Finding declarations by name, family or list of names."""

from __future__ import annotations

import re

from attar.errors import unknown_name
from attar.tasks.catalogue import CATALOGUE, PAPER
from attar.tasks.declaration import FAMILIES, Declaration


def _key(name: str) -> str:
    return re.sub(r"[-_ ]", "", name).lower()


_BY_KEY = {_key(name): task for task in CATALOGUE for name in (task.name, *task.aliases)}


def names(family: str | None = None) -> tuple[str, ...]:
    """The names of the published tasks, in the order of the paper.

    Parameters
    ----------
    family : str, optional
        Only those of this family: "sts", "clustering" or "classification".

    Returns
    -------
    tuple of str
        The names.

    Raises
    ------
    InputError
        If the family is unknown.
    """
    if family is not None and family not in FAMILIES:
        raise unknown_name("family", family, FAMILIES)
    return tuple(declaration.name for declaration in PAPER if family in (None, declaration.family))


def declaration(name: str) -> Declaration:
    """The declaration of a published task.

    Parameters
    ----------
    name : str
        Its name; capitals, dashes and underscores don't matter.

    Returns
    -------
    Declaration
        What is known of the task without its files.

    Raises
    ------
    InputError
        If there is no such task.
    """
    found = _BY_KEY.get(_key(name))
    if found is None:
        raise unknown_name("task", name, [*(task.name for task in CATALOGUE), *FAMILIES, "all"])
    return found


def select(selection: str) -> list[Declaration]:
    """The declarations that a selection stands for.

    Parameters
    ----------
    selection : str
        "all", or families and names of tasks with commas between.

    Returns
    -------
    list of Declaration
        Each task once, in the order given.

    Raises
    ------
    InputError
        If a name is unknown.
    """
    chosen: dict[str, Declaration] = {}
    for part in selection.split(","):
        wanted = part.strip()
        if wanted.lower() in ("all", *FAMILIES):
            found = [d for d in PAPER if wanted.lower() in ("all", d.family)]
        else:
            found = [declaration(wanted)]
        chosen.update((d.name, d) for d in found)
    return list(chosen.values())
