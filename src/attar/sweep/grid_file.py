"""Grids from TOML files, and the paper's own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attar.errors import InputError, unknown_name
from attar.sweep.grid import Grid, Part

PAPER = "paper"
_PART = ("tasks", "templates", "layers", "weights", "shapes", "mix")
_SHARED = ("models", "poolings", "precision", "rows", "runs", "background_texts", "average_texts")
_MORE = "also"  # tables that change some keys of the first part and add their own cells

_SHAPES = (
    (),
    ("zscore",),
    ("quantile",),
    ("quantile@background",),
    ("unit",),
    ("whiten",),
    ("whiten@background",),
    ("abtt:2",),
)
_WEIGHTS = ("mean", "idf", "idf@background", "debiased", "mask")
_TEMPLATES = ("T0", "T1", "T2", "T3", "T4")
_SETS: tuple[tuple[int | str, ...], ...] = (("each",), ("first", "last"), (1, 2, "last"), (0, 1, 2, "last"))


def paper_grid(tasks: tuple[str, ...] = ("all", "isoscore", "alignment", "uniformity")) -> Grid:
    """The tables and figures of the paper: its tables at its own layers, curves and heat maps over all of them."""
    scored = tuple(task for task in tasks if task not in ("isoscore", "alignment", "uniformity"))
    steps = tuple(-1 + 0.25 * i for i in range(10))
    parts = (
        Part(tasks, weights=_WEIGHTS, shapes=_SHAPES, mix=(0.0, 0.5, 1.0)),
        Part(tasks, weights=("idf",), shapes=(("zscore", "unit"),)),  # the named recipe "similarity"
        Part(tasks, ("T0", "T4"), (("last",), ("first", "last")), _WEIGHTS, _SHAPES),
        Part(scored, ("none", *_TEMPLATES), (("each",), ("first", "last")), ("mean", "mean-without-masks", "mask")),
        Part(scored, layers=_SETS, mix=steps),
    )
    return Grid(tuple(part for part in parts if part.tasks))


def read_grid(source: str, models: tuple[str, ...] = (), tasks: tuple[str, ...] = ()) -> Grid:
    """Read a grid.

    Parameters
    ----------
    source : str
        "paper" for the paper's own grid, or a TOML file.
    models : tuple of str
        Models that replace those of the file.
    tasks : tuple of str
        Tasks that replace those of the file, also those under [[also]].

    Returns
    -------
    Grid
        Checked: every name is known.

    Raises
    ------
    InputError
        If the file can't be read, or a key or value is not allowed.
    """
    if source == PAPER:
        grid = paper_grid(*([tasks] if tasks else []))
        return Grid(grid.parts, models or grid.models)
    content = _read(Path(source))
    unknown = [key for key in content if key not in (*_PART, *_SHARED, _MORE)]
    if unknown:
        raise unknown_name(f"key of the grid {source!r}", unknown[0], (*_PART, *_SHARED, _MORE))
    if tasks:
        content["tasks"] = list(tasks)
    if isinstance(content.get(_MORE), dict):
        raise InputError(f"[{_MORE}] of the grid {source!r} is one table, and there may be several: write [[{_MORE}]]")
    first = {key: content[key] for key in _PART if key in content}
    parts = [first]
    for more in _list(content.get(_MORE, []), _MORE):
        if not isinstance(more, dict):
            raise InputError(f"{_MORE} of the grid holds {more!r}; write its keys under [[{_MORE}]]")
        wrong = [key for key in more if key not in _PART]
        if wrong:
            raise unknown_name(f"key under [[{_MORE}]] of the grid {source!r}", wrong[0], _PART)
        parts.append(first | {key: value for key, value in more.items() if not (tasks and key == "tasks")})
    named: tuple[str | None, ...] = _texts(content["models"], "models") if "models" in content else (None,)
    shared = {key: content[key] for key in _SHARED if key in content and key not in ("models", "poolings")}
    if "poolings" in content:
        shared["poolings"] = tuple(map(str, _list(content["poolings"], "poolings")))
    return Grid(tuple(dict.fromkeys(map(_part, parts))), models or named, **shared)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"can't read the grid {str(path)!r}: {error.strerror}; give 'paper' or a TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"the grid {str(path)!r} is not TOML: {error}") from None


def _part(keys: Mapping[str, Any]) -> Part:
    if "tasks" not in keys:
        raise InputError('the grid names no tasks; write tasks = ["sts", "tweet"] or such')
    made: dict[str, Any] = {"tasks": _texts(keys["tasks"], "tasks")}
    empty = next((name for name in keys if name != "tasks" and keys[name] == []), None)
    if empty is not None:
        raise InputError(f"{empty} = [] of the grid leaves no cell; leave it out for the default, or fill it")
    for name in ("templates", "weights"):
        if name in keys:
            made[name] = _texts(keys[name], name)
    if "layers" in keys:
        made["layers"] = tuple(_layer_set(entry) for entry in _list(keys["layers"], "layers"))
    if "shapes" in keys:
        made["shapes"] = tuple(_texts(entry, "shapes") for entry in _list(keys["shapes"], "shapes"))
    if "mix" in keys:
        made["mix"] = tuple(_number(w) for w in _list(keys["mix"], "mix"))
    return Part(**made)


def _list(value: Any, key: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{key} = {value!r} of the grid is not a list")
    return value


def _texts(value: Any, key: str) -> tuple[str, ...]:
    values = [part.strip() for part in value.split(",")] if isinstance(value, str) else _list(value, key)
    for one in values:
        if not isinstance(one, str):
            raise InputError(f"{key} of the grid holds {one!r}, which is not a name")
    return tuple(values)


def _layer_set(value: Any) -> tuple[int | str, ...]:
    values = value if isinstance(value, list) else [value]
    for one in values:
        if isinstance(one, bool) or not (isinstance(one, int) or one in ("first", "last", "each")):
            raise InputError(f"layers of the grid hold {one!r}; allowed: numbers, 'first', 'last', or ['each'] alone")
    if not values or ("each" in values and len(values) > 1):
        raise InputError(f"layers of the grid hold {value!r}; a set has at least one layer, and 'each' stands alone")
    return tuple(values)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"mix of the grid holds {value!r}, which is not a number")
    return float(value)
