"""txtai.Embeddings(settings(embedder)): txtai then takes its vectors from an Embedder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attar.clients.vectors import ready, reopened, revision_of, vectors_of
from attar.embedder import Embedder
from attar.errors import MissingExtra
from attar.types import Floats

try:
    from txtai.vectors import Vectors
except ImportError:
    raise MissingExtra("attar.clients.txtai", "clients") from None


class AttarVectors(Vectors):  # type: ignore[misc]
    """An Embedder as txtai's vectors; an index that is loaded opens the folder of its recipe again."""

    def loadmodel(self, path: str | None) -> Embedder:
        given = self.config.get("embedder")
        if isinstance(given, Embedder):
            return given
        return reopened(path, self.config.get("revision"))

    def encode(self, data: Any, category: str | None = None) -> Floats:
        """Vectors of texts. Shape: (N, D)"""
        return vectors_of(self.model, data)


def settings(embedder: Embedder | str | Path | None = None, **others: Any) -> dict[str, Any]:
    """The configuration of `txtai.Embeddings` that takes its vectors from an Embedder; `others` are txtai's own.

    A saved index remembers the recipe's folder. Of an Embedder it remembers only which one it was, and refuses others.
    """
    made = ready(embedder)
    return {
        "method": f"{__name__}.{AttarVectors.__name__}",
        "path": str(embedder) if isinstance(embedder, (str, Path)) else None,
        "embedder": made,
        "revision": revision_of(made),
        **others,
    }
