"""AttarEmbedding(embedder) wherever LlamaIndex takes an embed_model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attar.clients.vectors import lists_of, ready, reopened, revision_of
from attar.embedder import Embedder
from attar.errors import InputError, MissingExtra

try:
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.bridge.pydantic import PrivateAttr
except ImportError:
    raise MissingExtra("attar.clients.llama_index", "clients") from None


class AttarEmbedding(BaseEmbedding):  # type: ignore[misc]
    """An Embedder, or the folder of a saved recipe, as LlamaIndex's embedding model.

    `to_dict` keeps the recipe's folder, for `from_dict` to open again. Of an Embedder it keeps only which one it was,
    and `from_dict` refuses any other.
    """

    recipe: str | None = None
    revision: str | None = None

    _embedder: Embedder = PrivateAttr()

    def __init__(self, embedder: Embedder | str | Path | None = None, **settings: Any) -> None:
        recipe, expected = settings.pop("recipe", None), settings.pop("revision", None)
        if embedder is not None and recipe is not None:
            raise InputError(f"both an embedder and the recipe {str(recipe)!r} were given; give one of them")
        if isinstance(embedder, (str, Path)):
            recipe, embedder = str(embedder), None
        made = reopened(recipe, expected) if embedder is None else ready(embedder)
        revision = revision_of(made)
        settings.setdefault("model_name", f"attar {revision.partition('-')[0]}")
        super().__init__(recipe=recipe, revision=revision, **settings)
        self._embedder = made

    def __setstate__(self, state: dict[str, Any]) -> None:
        """LlamaIndex would make it anew from its settings, without the Embedder."""
        settings = dict(state["__dict__"])
        recipe = settings.pop("recipe")
        type(self).__init__(self, state["__pydantic_private__"]["_embedder"], **settings)
        self.recipe = recipe

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
