"""nlp.add_pipe("attar", config={"recipe": "my-recipe"}), once this module is imported: doc.vector is then Attar's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from attar.clients.vectors import ready, vectors_of
from attar.embedder import Embedder
from attar.errors import MissingExtra

try:
    from spacy.language import Language
except ImportError:
    raise MissingExtra("attar.clients.spacy", "clients") from None


class AttarPipe:
    """Sets the vector of each document, so that `doc.vector` and `doc.similarity` are the Embedder's."""

    def __init__(self, embedder: Embedder | str | None = None) -> None:
        self.embedder = ready(embedder)

    def __call__(self, doc: Any) -> Any:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Any], batch_size: int = 256) -> Iterator[Any]:
        """The same for a stream of documents."""
        iterator = iter(docs)
        while batch := list(islice(iterator, batch_size)):
            for doc, vector in zip(batch, vectors_of(self.embedder, [doc.text for doc in batch]), strict=True):
                doc.vector = vector
                yield doc


@Language.factory("attar", default_config={"recipe": None})  # type: ignore[untyped-decorator]
def make_pipe(nlp: Any, name: str, recipe: str | None) -> AttarPipe:
    """The pipe of a saved recipe, or of the embedded model."""
    return AttarPipe(recipe)
