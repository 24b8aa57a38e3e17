"""KeyBERT(model=KeybertBackend(embedder))."""

from __future__ import annotations

from pathlib import Path

from attar.clients.vectors import ready, vectors_of
from attar.embedder import Embedder
from attar.errors import MissingExtra
from attar.types import Floats

try:
    from keybert.backend import BaseEmbedder
except ImportError:
    raise MissingExtra("attar.clients.keybert", "clients") from None


class KeybertBackend(BaseEmbedder):  # type: ignore[misc]
    """An Embedder, or the folder of a saved recipe, as KeyBERT's model."""

    def __init__(self, embedder: Embedder | str | Path | None = None) -> None:
        super().__init__()
        self.embedding_model = ready(embedder)

    def embed(self, documents: list[str], verbose: bool = False) -> Floats:
        """Vectors of documents or candidate words. Shape: (N, D)"""
        return vectors_of(self.embedding_model, documents)
