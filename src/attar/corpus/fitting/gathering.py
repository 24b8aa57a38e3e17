"""What a recipe learns from a corpus, gathered shard by shard and merged in order.

Token counts for weights; moments, a sample and sketches of the vectors for shapers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from attar import weights
from attar.corpus.fitting.kll import Kll
from attar.corpus.fitting.sampling import BottomK
from attar.corpus.inputs.batches import batches
from attar.corpus.inputs.shards import Shard, ShardPlan
from attar.corpus.jobs.job_folder import JobFolder
from attar.corpus.jobs.partials import read_partials, write_partial
from attar.corpus.jobs.step import mark_of
from attar.corpus.recipe_source import RecipeSource
from attar.io.texts import check_texts
from attar.shapers import Moments
from attar.types import Floats, Ints, State
from attar.weights import Weighting

Scatter = Literal["none", "diagonal", "full"]


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


@dataclass(frozen=True)
class Gather:
    """Work of an executor: a Shard to the moments and sketches of its vectors, and those that may be in the sample."""

    recipe: RecipeSource  # without shapers
    folder: str
    step: str
    scatter: Scatter
    sample: BottomK | None
    sketch: bool = False

    def __call__(self, shard: Shard) -> str:
        embedder = self.recipe.embedder()
        moments: Moments | None = None
        sketches: Kll | None = None
        sampled: list[tuple[Ints, Floats]] = []
        for first, rows in batches(shard):
            texts = [text for _, text in rows]
            kept = self._kept(first, len(rows))
            if self.scatter == "none" and not self.sketch:  # only the sample is wanted: nothing else is embedded
                sampled.append((kept, embedder.encode([texts[row - first] for row in kept])))
                continue
            vectors = embedder.encode(texts)
            if self.scatter != "none":
                more = Moments.of(vectors, diagonal=self.scatter == "diagonal")
                moments = more if moments is None else moments.merge(more)
            if self.sketch:
                sketches = sketches or Kll.empty(vectors.shape[1])
                sketches.add(vectors)
            sampled.append((kept, vectors[kept - first]))
        arrays: dict[str, Any] = {
            "rows": np.concatenate([rows for rows, _ in sampled]),
            "vectors": np.concatenate([vectors for _, vectors in sampled]),
        }
        if moments is not None:
            arrays |= {"n": np.array([moments.n]), "mean": moments.mean, "scatter": moments.scatter}
        if sketches is not None:
            arrays |= sketches.to_arrays()
        write_partial(JobFolder(Path(self.folder)), mark_of(self.step, shard), arrays, {"rows": shard.rows})
        return shard.name

    def _kept(self, first: int, n: int) -> Ints:
        return np.zeros(0, dtype=np.int64) if self.sample is None else self.sample.candidates(first, n)


def merge_moments(folder: JobFolder, step: str, plan: ShardPlan) -> Moments:
    """By Chan's formula in float64, shard after shard."""
    total: Moments | None = None
    for arrays in read_partials(folder, step, plan):
        part = Moments(int(arrays["n"][0]), np.array(arrays["mean"]), np.array(arrays["scatter"]))
        total = part if total is None else total.merge(part)
    assert total is not None
    return total


def merge_sample(folder: JobFolder, step: str, plan: ShardPlan, sample: BottomK) -> Floats:
    """The vectors of the sampled rows, in the order of rows. Shape: (k, D)"""
    rows = [np.array(arrays["rows"]) for arrays in read_partials(folder, step, plan)]
    chosen = sample.choose(np.concatenate(rows))
    ends = np.cumsum([len(some) for some in rows])
    starts = ends - [len(some) for some in rows]
    # One file at a time is mapped, and only what is chosen is read: a process may not map very many.
    found = [
        arrays["vectors"][chosen[(chosen >= start) & (chosen < end)] - start]
        for arrays, start, end in zip(read_partials(folder, step, plan), starts, ends, strict=True)
    ]
    return np.concatenate(found)
