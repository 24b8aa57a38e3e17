"""Which texts a recipe was fitted on, told by how many they are and by their hash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True)
class Sampled:
    """How quantiles were found where there are too many vectors to sort, and how far their ranks may be off."""

    how: str
    rows: int  # that were looked at
    of: int
    rank_error: float  # a share of the rows, not exceeded with this confidence
    confidence: float


@dataclass(frozen=True)
class Corpus:
    """Which texts something was fitted on: how many, and a hash of them in order; whether quantiles are estimates."""

    texts: int
    sha256: str
    sampled: Sampled | None = None

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        digest = hashlib.sha256()
        for text in texts:
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
        return cls(len(texts), digest.hexdigest())

    def then(self, other: Corpus) -> Corpus:
        """This one and more texts after it."""
        return Corpus(self.texts + other.texts, hashlib.sha256((self.sha256 + other.sha256).encode()).hexdigest())


@dataclass(frozen=True)
class FittedOn:
    """The texts that were embedded or stand for them, and the background corpus."""

    target: Corpus | None = None
    background: Corpus | None = None

    def with_target(self, texts: Sequence[str]) -> FittedOn:
        seen = Corpus.of(texts)
        return replace(self, target=seen if self.target is None else self.target.then(seen))

    def with_background(self, texts: Sequence[str] | None) -> FittedOn:
        return self if texts is None else replace(self, background=Corpus.of(texts))
