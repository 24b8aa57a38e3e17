"""LangchainEmbeddings(embedder) wherever LangChain takes Embeddings."""

from __future__ import annotations

from pathlib import Path

from attar.clients.vectors import lists_of, ready
from attar.embedder import Embedder
from attar.errors import MissingExtra

try:
    from langchain_core.embeddings import Embeddings
except ImportError:
    raise MissingExtra("attar.clients.langchain", "clients") from None


class LangchainEmbeddings(Embeddings):  # type: ignore[misc]
    """An Embedder, or the folder of a saved recipe, as LangChain's Embeddings."""

    def __init__(self, embedder: Embedder | str | Path | None = None) -> None:
        self.embedder = ready(embedder)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return lists_of(self.embedder, texts)

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]
