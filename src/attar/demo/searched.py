"""What a recipe finds in the sample."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from attar.demo.sample import Sample
from attar.embedder import Embedder
from attar.recipe import Recipe
from attar.shapers.cosine import cosines
from attar.types import Encoder, Floats, Ints


@dataclass(frozen=True)
class Searched:
    """Every query's cosines with all documents, by one recipe."""

    label: str
    cosines: Floats  # (queries, documents)
    sample: Sample

    @property
    def ranks(self) -> Ints:
        """The place of each query's answer among all documents, from 1; (queries,)."""
        right = np.array([row[self.sample.answer(query)] for query, row in enumerate(self.cosines)])
        places: Ints = (self.cosines > right[:, None]).sum(axis=1) + 1
        return places

    @property
    def first(self) -> int:
        """How many queries have their answer in the first place."""
        return int((self.ranks == 1).sum())

    def found(self, query: int) -> str:
        """The document that a query finds first."""
        return self.sample.documents[int(self.cosines[query].argmax())]


def gained_most(plain: Searched, better: Searched) -> Ints:
    """Queries, the one whose answer rose furthest first; those that reach the first place stand before the others."""
    return np.lexsort((better.ranks - plain.ranks, better.ranks > 1))


def search(label: str, recipe: str, encoder: Encoder, sample: Sample) -> Searched:
    """Embed documents and queries by a recipe that learns, if it must, from the documents alone."""
    parsed = Recipe.parse(recipe)
    embedder = Embedder.from_recipe(parsed, encoder.with_template(parsed.encoder.get("template")))
    with _quiet():
        documents = embedder.fit(sample.documents).encode(sample.documents)
        return Searched(label, cosines(embedder.encode(sample.queries), documents), sample)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without notes: that a mean is poor is what the demo shows."""
    log = logging.getLogger("attar")
    usual = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(usual)
