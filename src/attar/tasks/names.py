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
    """The names of the paper's tasks, in the paper's order; of one family where it is given."""
    if family is not None and family not in FAMILIES:
        raise unknown_name("family", family, FAMILIES)
    return tuple(declaration.name for declaration in PAPER if family in (None, declaration.family))


def declaration(name: str) -> Declaration:
    """The task of this name; capitals, dashes and underscores don't matter."""
    found = _BY_KEY.get(_key(name))
    if found is None:
        raise unknown_name("task", name, [*(task.name for task in CATALOGUE), *FAMILIES, "all"])
    return found


def select(selection: str) -> list[Declaration]:
    """What "all", a family, or names (or families) with commas between mean; each task once, in the order given."""
    chosen: dict[str, Declaration] = {}
    for part in selection.split(","):
        wanted = part.strip()
        if wanted.lower() in ("all", *FAMILIES):
            found = [d for d in PAPER if wanted.lower() in ("all", d.family)]
        else:
            found = [declaration(wanted)]
        chosen.update((d.name, d) for d in found)
    return list(chosen.values())
