"""client.create_collection("texts", embedding_function=AttarEmbeddingFunction(recipe="my-recipe"))."""

from __future__ import annotations

from typing import Any

from attar.clients.vectors import ready, vectors_of
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

    A collection that is kept on disk remembers the recipe's folder and opens it again.
    """

    def __init__(self, embedder: Embedder | None = None, recipe: str | None = None) -> None:
        if embedder is not None and recipe is not None:
            raise InputError(f"both an embedder and the recipe {recipe!r} were given; give one of them")
        self.recipe = recipe
        self.embedder = ready(embedder if recipe is None else recipe)

    def __call__(self, input: Documents) -> Embeddings:
        return list(vectors_of(self.embedder, input))

    @staticmethod
    def name() -> str:
        return "attar"

    def get_config(self) -> dict[str, Any]:
        return {"recipe": self.recipe}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> AttarEmbeddingFunction:
        return AttarEmbeddingFunction(recipe=config["recipe"])

    def default_space(self) -> str:
        return "cosine"

    def supported_spaces(self) -> list[str]:
        return ["cosine", "l2", "ip"]
