"""AttarEmbedding(embedder) wherever LlamaIndex takes an embed_model."""

from __future__ import annotations

from typing import Any

from attar.clients.vectors import lists_of, ready
from attar.embedder import Embedder
from attar.errors import MissingExtra

try:
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.bridge.pydantic import PrivateAttr
except ImportError:
    raise MissingExtra("attar.clients.llama_index", "clients") from None


class AttarEmbedding(BaseEmbedding):  # type: ignore[misc]
    """An Embedder, or the folder of a saved recipe, as LlamaIndex's embedding model."""

    _embedder: Embedder = PrivateAttr()

    def __init__(self, embedder: Embedder | str | None = None, **settings: Any) -> None:
        made = ready(embedder)
        super().__init__(model_name=settings.pop("model_name", f"attar {made.recipe.id}"), **settings)
        self._embedder = made

    @classmethod
    def class_name(cls) -> str:
        return "AttarEmbedding"

    def _get_text_embedding(self, text: str) -> list[float]:
        return lists_of(self._embedder, [text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return lists_of(self._embedder, texts)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)
