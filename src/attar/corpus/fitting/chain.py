"""What a chain of shapers needs to know about a corpus: moments where they suffice, else a sample of vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from attar.shapers import AffineShaper, MomentShaper
from attar.shapers.chain import corpus_of, learns


@dataclass(frozen=True)
class Needs:
    """What shapers need to know about each corpus ("target", "background")."""

    moments: frozenset[str]
    samples: frozenset[str]
    full: bool  # whole covariances, not variances alone

    @classmethod
    def of(cls, shapers: Sequence[Any]) -> Needs:
        found: dict[bool, set[str]] = {True: set(), False: set()}
        for shaper, exact in with_exactness(shapers):
            if learns(shaper):
                found[exact].add(corpus_of(shaper))
        full = any(getattr(shaper, "linear_part", "scale") == "matrix" for shaper in shapers)
        return cls(frozenset(found[True]), frozenset(found[False]), full)

    @property
    def corpora(self) -> frozenset[str]:
        return self.moments | self.samples

    def scatter_of(self, corpus: str) -> Literal["none", "diagonal", "full"]:
        if corpus not in self.moments:
            return "none"
        return "full" if self.full else "diagonal"


def with_exactness(shapers: Sequence[Any]) -> Iterator[tuple[Any, bool]]:
    """Each shaper, and whether moments suffice for it: its kind needs no more, and all before it carry them along."""
    carried = True
    for shaper in shapers:
        yield shaper, carried and isinstance(shaper, MomentShaper)
        carried = carried and isinstance(shaper, AffineShaper)
