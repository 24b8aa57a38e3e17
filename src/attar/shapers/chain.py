"""A chain of shapers, fitted one after the other from whatever is known of the vectors that go into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sklearn.utils import get_tags

from attar.errors import InputError
from attar.shapers.affine_shaper import AffineShaper, MomentShaper
from attar.shapers.moments import Moments
from attar.shapers.shaper import Shaper
from attar.types import Floats, Ints


@dataclass(frozen=True)
class Evidence:
    """What is known of the vectors of one corpus: the vectors, their moments, or both.

    Parameters
    ----------
    vectors : array of shape (N, D), optional
        The vectors themselves, or a sample of them.
    rows : array of shape (M,), optional
        Which of the vectors each text has, where texts share vectors; every vector once if it is not given.
    moments : Moments, optional
        Exact count, mean and scatter of all vectors; shapers that need no more are fitted from them.
    """

    vectors: Floats | None = None
    rows: Ints | None = None
    moments: Moments | None = None

    def fit(self, shaper: Any) -> None:
        """Fit a shaper: from moments where it needs no more and they are known, else from the vectors."""
        if isinstance(shaper, Shaper):
            shaper.check_width(self.width)
        if self.moments is not None and isinstance(shaper, MomentShaper):
            shaper.fit_moments(self.moments)
        elif self.vectors is not None:
            shaper.fit(self.vectors if self.rows is None else self.vectors[self.rows])
        else:
            raise InputError(f"{type(shaper).__name__} has to see vectors, and only their moments are known here")

    @property
    def width(self) -> int:
        """Dims of the vectors."""
        if self.vectors is not None:
            return int(self.vectors.shape[1])
        return 0 if self.moments is None else len(self.moments.mean)

    def through(self, shaper: Any) -> Evidence:
        """What is known of the vectors behind a fitted shaper; only affine ones carry moments along."""
        moments = None
        if self.moments is not None and isinstance(shaper, AffineShaper):
            affine = shaper.affine()
            moments = self.moments.affine(affine.linear, affine.offset)
        return replace(self, vectors=None if self.vectors is None else shaper.transform(self.vectors), moments=moments)


def fit_chain(shapers: Sequence[Any], corpora: Mapping[str, Evidence]) -> dict[str, Evidence]:
    """Fit each shaper of a chain on what the shapers before it make of the corpus that it is to learn from.

    Parameters
    ----------
    shapers : sequence of shapers
        Fitted in place, in this order.
    corpora : mapping
        By name ("target", "background"): what is known of the vectors that go into the chain.

    Returns
    -------
    dict
        The same corpora behind the last shaper.

    Raises
    ------
    InputError
        If a shaper has to see vectors and only moments are known.
    """
    known = dict(corpora)
    for shaper in shapers:
        if learns(shaper):
            known[corpus_of(shaper)].fit(shaper)
        known = {name: evidence.through(shaper) for name, evidence in known.items()}
    return known


def check_widths(shapers: Sequence[Shaper], width: int) -> None:
    """Check before anything is learned that each shaper of a chain is of use for vectors of so many dims.

    Raises
    ------
    InputError
        If one is not.
    """
    for shaper in shapers:
        shaper.check_width(width)
        width = shaper.width_out(width)


def shape(shapers: Sequence[Any], vectors: Floats) -> Floats:
    """Vectors through a fitted chain. Shape: (N, D) -> (N, D')"""
    for shaper in shapers:
        vectors = shaper.transform(vectors)
    return vectors


def learns(shaper: Any) -> bool:
    """Whether a shaper has to see vectors before it can work."""
    return bool(get_tags(shaper).requires_fit)


def corpus_of(shaper: Any) -> str:
    """The corpus that a shaper learns from: "target" or "background"; scikit-learn's own learn from the target."""
    on: str = getattr(shaper, "on", "target")
    return on
