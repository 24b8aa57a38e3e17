"""A chain of shapers, fitted from moments where they tell all and from a sample of vectors where they do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from attar.fitting import learns
from attar.shapers import AffineShaper, Moments, MomentShaper
from attar.types import Floats


@dataclass(frozen=True)
class Needs:
    """What shapers have to be told, corpus by corpus ("target", "background")."""

    moments: frozenset[str]
    samples: frozenset[str]
    full: bool  # whole covariances, not variances alone

    @classmethod
    def of(cls, shapers: Sequence[Any]) -> Needs:
        found: dict[bool, set[str]] = {True: set(), False: set()}
        for shaper, exact in with_exactness(shapers):
            if learns(shaper):
                found[exact].add(getattr(shaper, "on", "target"))
        full = any(getattr(shaper, "linear_part", "scale") == "matrix" for shaper in shapers)
        return cls(frozenset(found[True]), frozenset(found[False]), full)

    @property
    def corpora(self) -> frozenset[str]:
        return self.moments | self.samples

    def scatter_of(self, corpus: str) -> Literal["none", "diagonal", "full"]:
        if corpus not in self.moments:
            return "none"
        return "full" if self.full else "diagonal"


def fit_chain(shapers: Sequence[Any], moments: Mapping[str, Moments], samples: Mapping[str, Floats]) -> None:
    """Fit each shaper in turn; moments and samples are of what goes into the chain, and are carried along it."""
    moments, samples = dict(moments), dict(samples)
    for shaper, exact in with_exactness(shapers):
        if learns(shaper):
            on = getattr(shaper, "on", "target")
            if exact:
                shaper.fit_moments(moments[on])
            else:
                shaper.fit(samples[on])
        if isinstance(shaper, AffineShaper):
            affine = shaper.affine()
            moments = {name: seen.affine(affine.linear, affine.offset) for name, seen in moments.items()}
        samples = {name: shaper.transform(seen) for name, seen in samples.items()}


def with_exactness(shapers: Sequence[Any]) -> Iterator[tuple[Any, bool]]:
    """Each shaper, and whether moments suffice for it: its kind needs no more, and all before it carry them along."""
    carried = True
    for shaper in shapers:
        yield shaper, carried and isinstance(shaper, MomentShaper)
        carried = carried and isinstance(shaper, AffineShaper)
