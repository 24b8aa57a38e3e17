"""A recipe that computes nothing, importable by workers: what is left is the cost of the machinery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from attar.pipeline import TextCounts


@dataclass(frozen=True)
class FakeRecipe:
    """Stands in for attar.corpus.recipe_source.RecipeSource."""

    dims: int

    def embedder(self) -> FakeEmbedder:
        return FakeEmbedder(self.dims)


@dataclass
class FakeEmbedder:
    """A vector of each text's length."""

    dims: int
    counts_: TextCounts | None = None

    def encode(self, texts: list[str]) -> Any:
        self.counts_ = TextCounts(texts=len(texts))
        return np.repeat(np.array([len(text) for text in texts], dtype=np.float32)[:, None], self.dims, axis=1)
