"""nlp.add_pipe("attar", config={"recipe": "my-recipe"}), once this module is imported: doc.vector is then Attar's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from attar.clients.vectors import ready, vectors_of
from attar.embedder import Embedder
from attar.errors import InputError, MissingExtra
from attar.shapers.cosine import cosines

try:
    from spacy.language import Language
    from spacy.tokens import Doc
except ImportError:
    raise MissingExtra("attar.clients.spacy", "clients") from None

if not Doc.has_extension("attar"):
    Doc.set_extension("attar", default=None)


class AttarPipe:
    """Sets the vector of each document, so that `doc.vector` and `doc.similarity` are the Embedder's.

    `doc._.attar` is the same vector. It also passes between processes (`nlp.pipe(..., n_process=2)`) and into files
    (`DocBin(store_user_data=True)`), where spaCy leaves `doc.vector` behind.
    """

    def __init__(self, embedder: Embedder | str | Path | None = None) -> None:
        self.embedder = ready(embedder)

    def __call__(self, doc: Any) -> Any:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Any], batch_size: int = 256) -> Iterator[Any]:
        """The same for a stream of documents."""
        iterator = iter(docs)
        while batch := list(islice(iterator, batch_size)):
            for doc, vector in zip(batch, vectors_of(self.embedder, [doc.text for doc in batch]), strict=True):
                doc.vector = doc._.attar = vector
                doc.user_hooks["has_vector"] = _has_vector  # spaCy would look for a table of word vectors,
                doc.user_hooks["similarity"] = _similarity  # and warn where there is none
                yield doc


def _has_vector(doc: Any) -> bool:
    return True


def _similarity(doc: Any, other: Any) -> float:
    vector = other.vector
    if vector.shape != doc.vector.shape:
        raise InputError(
            f"{type(other).__name__} {other.text[:60]!r} has no vector of this pipe, which gives them to "
            "whole documents: send its text through the pipe"
        )
    return float(cosines(doc.vector[None], vector[None])[0, 0])


@Language.factory("attar", default_config={"recipe": None})  # type: ignore[untyped-decorator]
def make_pipe(nlp: Any, name: str, recipe: str | None) -> AttarPipe:
    """The pipe of a saved recipe, or of the embedded model."""
    return AttarPipe(recipe)
