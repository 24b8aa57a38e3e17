"""Settings against arrays: numbers that no weights stand behind would make a library build without end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from attar.errors import ModelError

_WHICH = "max_window_layers|global_attn_every_n_layers"  # say which layers do something, not how many there are
_LAYERS = re.compile(rf"(?!({_WHICH})$).*(layers?|blocks)$")
_SIZES = re.compile(r"(size|dim|dims|embd|embeddings|positions|heads?|experts|groups|factor|inner|ffn|width|kernel)$")
_PLENTY = 1 << 24  # places, tokens or dims that need no array of their own
_DEEPEST = 6


def check_counts(settings: Mapping[str, Any], n_arrays: int, n_numbers: int, where: str) -> None:
    """Refuse more layers than there are arrays, and sizes beyond all numbers of the weights.

    Parameters
    ----------
    settings : mapping
        What config.json holds.
    n_arrays, n_numbers : int
        How many arrays the weights have, and how many numbers are in them.
    where : str
        The folder, for the message.

    Raises
    ------
    ModelError
        With the setting and its value.
    """
    for name, value in _numbers(settings):
        if not 0 <= abs(value) < float("inf"):
            raise ModelError(f"config.json in {where!r}: {name} is {value!r}, which is no number to work with")
        most = n_arrays if _LAYERS.match(name) else max(n_numbers, _PLENTY) if _SIZES.search(name) else None
        if most is not None and abs(value) > max(most, 1):
            raise ModelError(
                f"config.json in {where!r}: {name} is {value!r}, but its weights are {n_arrays:,} arrays with "
                f"{n_numbers:,} numbers in all; it is not the config of these weights, or was altered"
            )


def _numbers(settings: Any, depth: int = 0) -> Iterator[tuple[str, float]]:
    if not isinstance(settings, Mapping) or depth > _DEEPEST:
        return
    for name, value in settings.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield str(name), value
        yield from _numbers(value, depth + 1)
