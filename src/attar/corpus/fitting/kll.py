"""Kll: quantiles of every dim from mergeable sketches of all vectors, by Apache DataSketches; randomised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from attar.corpus.fitting.chain import with_exactness
from attar.corpus.jobs.partials import Arrays
from attar.errors import InputError, MissingExtra
from attar.recipe import Sampled
from attar.shapers.chain import learns
from attar.types import Floats, State

K = 800
CONFIDENCE = 0.99  # the one that the library states its error for
LEVELS = 4 * 999 + 1  # evenly spaced ranks, among them the quartiles and the 1000 levels of shapers.Quantile


@dataclass
class Kll:
    """One sketch per dim."""

    sketches: Any

    @classmethod
    def empty(cls, dims: int) -> Self:
        return cls(_library().vector_of_kll_floats_sketches(K, dims))

    def add(self, vectors: Floats) -> None:
        self.sketches.update(np.ascontiguousarray(vectors, dtype=np.float32))

    def to_arrays(self) -> State:
        """For a file: the bytes of all sketches, and where each ends."""
        parts = self.sketches.serialize()
        return {
            "sketches": np.frombuffer(b"".join(parts), dtype=np.uint8),
            "ends": np.cumsum([len(part) for part in parts]),
        }

    @classmethod
    def merged(cls, partials: Iterable[Arrays]) -> Self:
        """Shard after shard."""
        total: Self | None = None
        for arrays in partials:
            part = cls.empty(len(arrays["ends"]))
            for dim, sketch in enumerate(np.split(arrays["sketches"], arrays["ends"][:-1])):
                part.sketches.deserialize(sketch.tobytes(), dim)
            if total is None:
                total = part
            else:
                total.sketches.merge(part.sketches)
        assert total is not None
        return total

    def levels(self) -> Floats:
        """Values at evenly spaced ranks, the least and the greatest exact. Shape: (LEVELS, D)

        For shapers that look at each dim alone they stand for all vectors.
        """
        values: Floats = self.sketches.get_quantiles(np.linspace(0, 1, LEVELS)).T
        values[0], values[-1] = self.sketches.get_min_values(), self.sketches.get_max_values()
        return np.ascontiguousarray(values)

    def account(self, of: int) -> Sampled:
        """As a recipe records it."""
        error = round(_library().kll_floats_sketch.get_normalized_rank_error(K, False), 6)
        return Sampled(f"kll, k={K}", of, of, error, CONFIDENCE)


def check_sketches(chain: Sequence[Any]) -> None:
    """Refuse chains that mix dims before a quantile: sketches hold each dim separately."""
    _library()  # before any work is begun
    alone = True
    for shaper, exact in with_exactness(chain):
        alone = alone and getattr(shaper, "per_dim", False)
        if not alone and not exact and learns(shaper):
            names = ", ".join(type(one).__name__ for one in chain)
            raise InputError(
                f"sketches hold each dim separately and can't fit {type(shaper).__name__} in the chain {names}: "
                "no shaper up to it may mix dims; take quantiles from a sample instead"
            )


def _library() -> Any:
    try:
        import datasketches
    except ImportError:
        raise MissingExtra("quantiles by sketches", "kll") from None
    return datasketches
