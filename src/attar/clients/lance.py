"""get_registry().get("attar").create(recipe="my-recipe"), once this module is imported."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from attar.clients.vectors import reopened, revision_of, vectors_of
from attar.embedder import Embedder
from attar.errors import InputError, MissingExtra

try:
    from lancedb.embeddings import TextEmbeddingFunction, register
except ImportError:
    raise MissingExtra("attar.clients.lance", "clients") from None


@register("attar")
class LanceEmbeddings(TextEmbeddingFunction):  # type: ignore[misc]
    """The folder of a saved recipe, or the embedded model, as LanceDB's embedding function; a table remembers it."""

    recipe: str | None = None
    revision: str | None = None  # kept by the table, to know the recipe again

    @classmethod
    def create(cls, **settings: Any) -> LanceEmbeddings:
        """What `get_registry().get("attar").create(...)` calls; LanceDB itself would pass over what it doesn't know."""
        for name in settings.keys() - cls.model_fields.keys():
            raise InputError(
                f"LanceDB can't keep {name}={settings[name]!r}; it keeps the folder of a saved recipe: "
                "save the Embedder and give recipe='folder'"
            )
        if isinstance(settings.get("recipe"), Path):
            settings["recipe"] = str(settings["recipe"])
        made: LanceEmbeddings = super().create(**settings)
        return made

    def ndims(self) -> int:
        return self._embedder.get_sentence_embedding_dimension()

    def generate_embeddings(self, texts: Any) -> list[Any]:
        """One vector per text; None where a row has no text, which LanceDB keeps as null."""
        there = [text is not None for text in texts]
        vectors = iter(vectors_of(self._embedder, [text for text in texts if text is not None]))
        return [next(vectors) if is_text else None for is_text in there]

    def safe_model_dump(self) -> dict[str, Any]:
        return {**super().safe_model_dump(), "revision": revision_of(self._embedder)}

    @cached_property
    def _embedder(self) -> Embedder:
        return reopened(self.recipe, self.revision)
