"""txtai.Embeddings(settings(embedder)): txtai takes a function that turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attar.clients.vectors import ready, vectors_of
from attar.embedder import Embedder
from attar.types import Floats


def settings(embedder: Embedder | str | None = None, **others: Any) -> dict[str, Any]:
    """The configuration of `txtai.Embeddings` that takes its vectors from an Embedder; `others` are txtai's own."""
    made = ready(embedder)

    def transform(texts: Sequence[Any]) -> Floats:
        return vectors_of(made, list(texts))

    return {"method": "external", "transform": transform, **others}
