"""What sentence-transformers computes from the token vectors of a model that it saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

_WEIGHTS = {"mean": "mean", "cls": "first", "lasttoken": "last"}  # how sentence-transformers calls weights of ours
_PLAIN = ("Transformer", "Pooling", "Normalize")


class Tuned(NamedTuple):
    """What a model was tuned to give."""

    weights: str = "mean"  # the name of the token weights
    beyond: tuple[str, ...] = ()  # what else is computed, in words, which Attar leaves out


def tuned(folder: Path) -> Tuned:
    """What a model was tuned to give.

    Parameters
    ----------
    folder : Path
        Of the model.

    Returns
    -------
    Tuned
        The mean and nothing beyond it where nothing that can be read says otherwise.
    """
    modules = _read(folder / "modules.json")
    weights, beyond = "mean", list[str]()
    for module in modules if isinstance(modules, list) else ():
        kind, path = (module.get(key) for key in ("type", "path")) if isinstance(module, dict) else (None, None)
        if not isinstance(kind, str) or not isinstance(path, str):
            continue
        name = kind.rpartition(".")[2]
        if name == "Pooling":
            modes = _modes(_read(folder / Path(path).name / "config.json"))
            if len(modes) == 1 and modes[0] in _WEIGHTS:
                weights = _WEIGHTS[modes[0]]
            else:
                beyond += [f"pooling by {mode}" for mode in modes if mode != "mean"]
        elif name not in _PLAIN:
            beyond.append(f"a {name} layer")
    return Tuned(weights, tuple(beyond))


def _modes(settings: Any) -> list[str]:
    """Of both forms: one name, or a switch for each."""
    if not isinstance(settings, dict):
        return []
    given = settings.get("pooling_mode")
    if given is not None:
        return [str(mode) for mode in (given if isinstance(given, list) else [given])]
    switched = [name for name, value in settings.items() if name.startswith("pooling_mode_") and value is True]
    return [name.removeprefix("pooling_mode_").removesuffix("s").removesuffix("_token") for name in switched]


def _read(path: Path) -> Any:
    """None for what is not there or damaged: the mean is taken then."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
