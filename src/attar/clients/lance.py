"""get_registry().get("attar").create(recipe="my-recipe"), once this module is imported."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from attar.clients.vectors import ready, vectors_of
from attar.embedder import Embedder
from attar.errors import MissingExtra

try:
    from lancedb.embeddings import TextEmbeddingFunction, register
except ImportError:
    raise MissingExtra("attar.clients.lance", "clients") from None


@register("attar")
class LanceEmbeddings(TextEmbeddingFunction):  # type: ignore[misc]
    """The folder of a saved recipe, or the embedded model, as LanceDB's embedding function; a table remembers it."""

    recipe: str | None = None

    def ndims(self) -> int:
        return len(self._embedder.encode("a"))

    def generate_embeddings(self, texts: Any) -> list[Any]:
        return list(vectors_of(self._embedder, list(texts)))

    @cached_property
    def _embedder(self) -> Embedder:
        return ready(self.recipe)
