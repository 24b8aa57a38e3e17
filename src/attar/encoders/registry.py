"""The table of encoders, by the type that recipes call them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from attar.errors import RecipeError, unknown_name
from attar.types import Encoder

# type: (module, class). All have spec(); those with arrays of their own also have save(folder) and load(folder).
TYPES = {
    "transformer": ("attar.encoders.transformer", "Transformer"),
    "table": ("attar.encoders.table", "Table"),
    "random": ("attar.encoders.random", "Random"),
    "word_vectors": ("attar.encoders.word_vectors", "WordVectors"),
    "mix": ("attar.encoders.mix", "Mix"),
}


def encoder_class(spec: Mapping[str, Any]) -> Any:
    kind = spec.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        raise RecipeError(str(unknown_name("encoder type", kind, TYPES)))
    module, name = TYPES[kind]
    return getattr(import_module(module), name)


def from_spec(spec: Mapping[str, Any]) -> Encoder:
    """The encoder that a recipe names, where its spec says it all."""
    cls = encoder_class(spec)
    if not hasattr(cls, "from_spec"):
        raise RecipeError(f"a recipe with a {spec['type']} is loaded from its folder, not from its description alone")
    try:
        encoder: Encoder = cls.from_spec(dict(spec))
    except (KeyError, TypeError) as error:
        raise RecipeError(f"the encoder of the recipe is damaged: {type(error).__name__} {error}") from None
    return encoder


def save_arrays(encoder: Encoder, folder: Path) -> None:
    """Write what the spec does not hold, if there is any, into a new folder."""
    save = getattr(encoder, "save", None)
    if save is not None:
        save(folder)


def load(spec: Mapping[str, Any], folder: Path) -> Encoder:
    """The encoder of a recipe whose arrays, if it has any, are in the folder."""
    cls = encoder_class(spec)
    if hasattr(cls, "load"):
        encoder: Encoder = cls.load(folder)
        return encoder
    return from_spec(spec)
