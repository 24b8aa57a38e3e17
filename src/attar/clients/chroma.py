"""client.create_collection("texts", embedding_function=AttarEmbeddingFunction(recipe="my-recipe"))."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from attar.clients.vectors import ready, reopened, revision_of, vectors_of
from attar.embedder import Embedder
from attar.errors import InputError, MissingExtra

try:
    from chromadb import Documents, EmbeddingFunction, Embeddings
    from chromadb.utils.embedding_functions import register_embedding_function
except ImportError:
    raise MissingExtra("attar.clients.chroma", "clients") from None


@register_embedding_function
class AttarEmbeddingFunction(EmbeddingFunction[Documents]):  # type: ignore[misc]
    """An Embedder, or the folder of a saved recipe, as chromadb's embedding function.

    A collection that is kept on disk remembers the recipe's folder and opens it again. Of an Embedder it remembers only
    which one it was, and refuses any other.
    """

    def __init__(self, embedder: Embedder | str | Path | None = None, recipe: str | Path | None = None) -> None:
        if embedder is not None and recipe is not None:
            raise InputError(f"both an embedder and the recipe {str(recipe)!r} were given; give one of them")
        given = embedder if recipe is None else recipe
        self.recipe = str(given) if isinstance(given, (str, Path)) else None
        self.embedder = ready(given)
        self.revision: str | None = revision_of(self.embedder)

    @cached_property
    def embedder(self) -> Embedder:
        """Opened when vectors are wanted: an error before that would make chromadb take its own model instead."""
        return reopened(self.recipe, self.revision)

    def __call__(self, input: Documents) -> Embeddings:
        return list(vectors_of(self.embedder, input))

    @staticmethod
    def name() -> str:
        return "attar"

    def get_config(self) -> dict[str, Any]:
        return {"recipe": self.recipe, "revision": self.revision}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> AttarEmbeddingFunction:
        made = AttarEmbeddingFunction.__new__(AttarEmbeddingFunction)
        made.recipe, made.revision = config["recipe"], config.get("revision")
        return made

    def default_space(self) -> str:
        return "cosine"

    def supported_spaces(self) -> list[str]:
        return ["cosine", "l2", "ip"]
