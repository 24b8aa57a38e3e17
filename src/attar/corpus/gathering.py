"""Moments and a sample of a corpus' vectors, for shapers: gathered shard by shard, merged in order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from attar.corpus.batches import batches
from attar.corpus.job_folder import JobFolder
from attar.corpus.kll import Kll
from attar.corpus.partials import read_partials, write_partial
from attar.corpus.plan import Shard, ShardPlan
from attar.corpus.recipe_source import RecipeSource
from attar.corpus.sampling import BottomK
from attar.corpus.step import mark_of
from attar.shapers import Moments
from attar.types import Floats, Ints

Scatter = Literal["none", "diagonal", "full"]


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
