"""Whether there are texts enough to learn from: of a handful, counts and moments say nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attar.shapers import Whiten
from attar.shapers.chain import corpus_of, learns
from attar.weights import Weighting

FEW = 50  # texts: of fewer, no counts or moments are worth the name
HINT = (
    "fit once on your documents, save the recipe, and encode queries with the saved recipe "
    "(`attar fit --on DOCUMENTS -o RECIPE`, or fit and save in Python)"
)


def too_few(parts: Sequence[Any], corpora: Mapping[str, Sequence[str]], width: int | None = None) -> str | None:
    """The sentence that says which parts learn from too few texts; None where all have enough.

    Parameters
    ----------
    parts : weights and shapers
    corpora : the texts they learn from, by name
    width : dims of the vectors, which whitening needs more texts than; None where it is not known
    """
    for part in parts:
        if not (part.needs_texts if isinstance(part, Weighting) else learns(part)):
            continue
        n = len(corpora.get(corpus_of(part), ()))
        least = width + 1 if width is not None and isinstance(part, Whiten) else FEW
        if n < max(least, FEW):
            return f"{type(part).__name__} learns from {n} texts, and should have {max(least, FEW)} or more; {HINT}"
    return None
