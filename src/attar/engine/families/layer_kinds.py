"""What the attention of each layer sees: all before it or a window, with or without rotary places."""

from __future__ import annotations

from typing import Any, NamedTuple

from attar.engine.decoder_kernels import Turning
from attar.engine.families.rotary import by_kind, turning
from attar.engine.families.settings import Settings, Unexpected, count

_FULL, _WINDOW = "full_attention", "sliding_attention"


class Kind(NamedTuple):
    """Of one layer. `window`: how many tokens each sees, itself too; 0 for all."""

    window: int
    turning: Turning | None


def layer_kinds(settings: Settings, n_layers: int, head: int) -> list[Kind]:
    """One for each layer."""
    names = _names(settings, n_layers)
    turnings = {name: _turning(settings, head, name) for name in set(names)}
    placed = settings.get("no_rope_layers", [1] * n_layers)  # SmolLM3: 0 for layers without places
    if not isinstance(placed, list) or len(placed) != n_layers:
        raise Unexpected
    if len(names) != n_layers or not set(names) <= {_FULL, _WINDOW}:
        raise Unexpected
    windows = {name: count(settings, "sliding_window") if name == _WINDOW else 0 for name in set(names)}
    return [Kind(windows[name], turnings[name] if has else None) for name, has in zip(names, placed, strict=True)]


def _names(settings: Settings, n_layers: int) -> list[Any]:
    given = settings.get("layer_types")
    wanted = settings.get("use_sliding_window")
    if given:
        names = list(given)
        if wanted is False and _WINDOW in names:  # says both
            raise Unexpected
        return names
    if wanted:  # and does not say where
        raise Unexpected
    if wanted is False or settings.get("sliding_window") is None:
        return [_FULL] * n_layers
    every = settings.get("sliding_window_pattern", settings.get("_sliding_window_pattern"))
    if every is None:
        return [_WINDOW] * n_layers
    if type(every) is not int or every < 1:
        raise Unexpected
    return [_FULL if (n + 1) % every == 0 else _WINDOW for n in range(n_layers)]


def _turning(settings: Settings, head: int, name: str) -> Turning:
    local = settings.get("rope_local_base_freq")  # Gemma 3, before settings were given by kind
    if local is None or name == _FULL or by_kind(settings.get("rope_parameters")):
        return turning(settings, head, kind=name)
    plain = {key: value for key, value in settings.items() if not key.startswith("rope_") or key == "rope_neighbours"}
    return turning(plain | {"rope_theta": local}, head)
