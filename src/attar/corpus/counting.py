"""Token counts of a corpus, for weights that learn from texts: counted shard by shard, added up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from attar import weights
from attar.corpus.batches import batches
from attar.corpus.job_folder import JobFolder
from attar.corpus.partials import read_partials, write_partial
from attar.corpus.plan import Shard, ShardPlan
from attar.corpus.recipe_source import RecipeSource
from attar.corpus.step import mark_of
from attar.io.texts import check_texts
from attar.types import State
from attar.weights import Weighting


@dataclass(frozen=True)
class CountTokens:
    """Work of an executor: a Shard to the counts that one kind of weights needs."""

    recipe: RecipeSource  # for its encoder
    folder: str
    step: str
    weights: str  # the class
    params: Mapping[str, Any]

    def __call__(self, shard: Shard) -> str:
        encoder = self.recipe.embedder().encoder_
        counted: Weighting = weights.CLASSES[self.weights](**self.params)
        for _, rows in batches(shard):
            texts, _ = check_texts(text for _, text in rows)
            counted.partial_fit(encoder.tokenize(texts), encoder.vocabulary)
        write_partial(JobFolder(Path(self.folder)), mark_of(self.step, shard), counted.state(), {"rows": shard.rows})
        return shard.name


def add_counts(folder: JobFolder, step: str, plan: ShardPlan) -> State:
    """All shards' counts together: whole numbers, so their order does not matter."""
    total: dict[str, Any] = {}
    for arrays in read_partials(folder, step, plan):
        for name, array in arrays.items():
            total[name] = array.astype(np.int64) + total.get(name, 0)
    return total
