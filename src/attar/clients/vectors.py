"""What all clients ask for: vectors of texts from an embedder that is ready."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attar.embedder import Embedder, open_embedder
from attar.errors import InputError
from attar.types import Floats


def ready(embedder: Embedder | str | None) -> Embedder:
    """An embedder that can encode: one given, a saved recipe's folder, or None for the embedded model.

    Raises
    ------
    InputError
        If it must see texts first: other libraries give it a few at a time, which is not enough to learn from.
    """
    made = open_embedder(embedder) if isinstance(embedder, str) else embedder if embedder is not None else Embedder()
    if not isinstance(made, Embedder):
        raise InputError(f"{made!r} is not an Embedder; give one, or the folder of a saved recipe")
    if not made.__sklearn_is_fitted__():
        raise InputError("the Embedder must see texts first: call fit(documents), or load a recipe that was saved")
    return made


def vectors_of(embedder: Embedder, texts: Sequence[Any]) -> Floats:
    """Vectors of texts. Shape: (N, D)"""
    found: Floats = embedder.encode([str(text) for text in texts])
    return found


def lists_of(embedder: Embedder, texts: Sequence[Any]) -> list[list[float]]:
    """The same as lists of numbers, which is what some libraries want."""
    found: list[list[float]] = vectors_of(embedder, texts).tolist()
    return found
