"""RecipeSource: how a worker loads the embedder: once per process, and checked against the driver's."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attar.corpus.executors.worker import limit_threads
from attar.embedder import Embedder, open_embedder
from attar.encoders.opening import open_encoder
from attar.errors import NotFittedError, RecipeError
from attar.persist import is_saved
from attar.recipe.text import MARK

_loaded: dict[RecipeSource, Embedder] = {}  # of this process: the last one used, ready to go on


@dataclass(frozen=True)
class RecipeSource:
    """A recipe folder, a folder of a model or table, or a named recipe; `model` replaces the one it names."""

    recipe: str
    model: str | None = None
    fingerprint: str = ""

    @classmethod
    def of(cls, recipe: str | Path, model: str | Path | None = None) -> RecipeSource:
        """With paths that hold wherever it is used, and its fingerprint."""
        name, encoder = str(recipe), None if model is None else str(model)
        if MARK not in name and Path(name).expanduser().is_dir():
            name = str(Path(name).expanduser().absolute())
        if encoder is not None and Path(encoder).expanduser().exists():
            encoder = str(Path(encoder).expanduser().absolute())
        source = cls(name, encoder)
        return replace(source, fingerprint=fingerprint(source.load()))

    def load(self) -> Embedder:
        """A new embedder, ready to encode."""
        if Path(self.recipe).is_dir() and not is_saved(self.recipe) and self.model is None:
            found = open_encoder(self.recipe)
            embedder = Embedder(found, layers=found.usual_layers)
        else:
            embedder = open_embedder(self.recipe, self.model)
        try:
            embedder.encode([])
        except NotFittedError as error:
            raise RecipeError(
                f"the recipe {self.recipe!r} has to learn from texts first: {error}; "
                "make a recipe folder with `attar fit` and name that"
            ) from None
        return embedder

    def embedder(self) -> Embedder:
        """The one of this process."""
        if self not in _loaded:
            embedder = self.load()
            if self.fingerprint and (found := fingerprint(embedder)) != self.fingerprint:
                raise RecipeError(
                    f"the recipe {self.recipe!r} differs on this worker: its sha256 is {found}, "
                    f"the job was begun with {self.fingerprint}; give all nodes the same files"
                )
            limit_threads()
            _loaded.clear()
            _loaded[self] = embedder
        return _loaded[self]


def fingerprint(embedder: Embedder) -> str:
    """A hash of everything that decides about vectors, and not of where it lies."""
    recipe = embedder.recipe.to_json()
    encoder = {key: value for key, value in recipe["encoder"].items() if key not in ("model", "revision")}
    about: dict[str, Any] = {key: recipe[key] for key in ("layers", "weights", "shapers")}
    about |= {"encoder": encoder, "model": embedder.encoder_.fingerprint}
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for part in (embedder.weights_, *embedder.shapers_):
        for name, array in sorted(part.state().items()):
            digest.update(f"{name} {array.dtype} {array.shape}".encode())
            digest.update(array.tobytes())
    return digest.hexdigest()
