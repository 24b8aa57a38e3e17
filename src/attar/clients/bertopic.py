"""BERTopic(embedding_model=BertopicBackend(embedder)); a bare Embedder would be replaced by BERTopic's own model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attar.clients.vectors import ready, vectors_of
from attar.embedder import Embedder
from attar.errors import MissingExtra
from attar.types import Floats

try:
    from bertopic.backend import BaseEmbedder
except ImportError:
    raise MissingExtra("attar.clients.bertopic", "clients") from None


class BertopicBackend(BaseEmbedder):  # type: ignore[misc]
    """An Embedder, or the folder of a saved recipe, as BERTopic's embedding model."""

    def __init__(self, embedder: Embedder | str | Path | None = None) -> None:
        super().__init__()
        self.embedding_model = ready(embedder)

    def embed(self, documents: list[str], verbose: bool = False) -> Floats:
        """Vectors of documents. Shape: (N, D)"""
        return vectors_of(self.embedding_model, documents)

    def __deepcopy__(self, memo: dict[int, Any]) -> BertopicBackend:
        return self
