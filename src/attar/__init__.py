"""Attar: sentence vectors pressed out of a transformer you already have."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attar._version import __version__

if TYPE_CHECKING:
    from attar import scores, shapers, tasks, weights
    from attar.choosing.run import choose
    from attar.embedder import Embedder
    from attar.encoders.mix import Mix
    from attar.encoders.pooled import Pooled
    from attar.encoders.random import Random
    from attar.encoders.side_by_side import SideBySide
    from attar.encoders.table import Table
    from attar.encoders.transformer import Transformer
    from attar.encoders.word_vectors import WordVectors
    from attar.errors import AttarError
    from attar.recipe import Recipe
    from attar.tokens.templates import Template


_PLACES = {
    "AttarError": "attar.errors",
    "Embedder": "attar.embedder",
    "Mix": "attar.encoders.mix",
    "Pooled": "attar.encoders.pooled",
    "Random": "attar.encoders.random",
    "Recipe": "attar.recipe",
    "SideBySide": "attar.encoders.side_by_side",
    "Table": "attar.encoders.table",
    "Template": "attar.tokens.templates",
    "Transformer": "attar.encoders.transformer",
    "WordVectors": "attar.encoders.word_vectors",
    "choose": "attar.choosing.run",
}
_FAMILIES = ("scores", "shapers", "tasks", "weights")

__all__ = [
    "AttarError",
    "Embedder",
    "Mix",
    "Pooled",
    "Random",
    "Recipe",
    "SideBySide",
    "Table",
    "Template",
    "Transformer",
    "WordVectors",
    "__version__",
    "choose",
    "scores",
    "shapers",
    "tasks",
    "weights",
]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    if name in _FAMILIES:
        return import_module(f"attar.{name}")
    raise AttributeError(f"module 'attar' has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return __all__
