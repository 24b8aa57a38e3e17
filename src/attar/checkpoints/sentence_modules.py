"""What sentence-transformers computes from the token vectors of a model that it saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_MODES = {
    "cls": "the vector of its first token (here: weights 'first')",
    "lasttoken": "the vector of its last token (here: weights 'last')",
    "max": "the maximum over tokens (here: --pooling max)",
}
_PLAIN = ("Transformer", "Pooling", "Normalize")


def tuned_for(folder: Path) -> tuple[str, ...]:
    """What a model was tuned to give, in words, where that is more than the mean of its last layer.

    Parameters
    ----------
    folder : Path
        Of the model.

    Returns
    -------
    tuple of str
        Empty where it is the mean, or where nothing that can be read says what it is.
    """
    modules = _read(folder / "modules.json")
    if not isinstance(modules, list):
        return ()
    found: list[str] = []
    for module in modules:
        kind, path = (module.get(key) for key in ("type", "path")) if isinstance(module, dict) else (None, None)
        if not isinstance(kind, str) or not isinstance(path, str):
            continue
        name = kind.rpartition(".")[2]
        if name == "Pooling":
            modes = _modes(_read(folder / Path(path).name / "config.json"))
            found += [_MODES.get(mode, f"pooling by {mode}") for mode in modes if mode != "mean"]
        elif name not in _PLAIN:
            found.append(f"a {name} layer (sentence-transformers runs it)")
    return tuple(found)


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
    """None for what is not there or damaged: nothing is computed by it."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
