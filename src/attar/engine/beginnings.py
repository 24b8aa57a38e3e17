"""Which sequences begin with the same tokens: a causal model need read those only once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attar.engine.batching import packed_batches
from attar.types import Ints, Tokens

LEAST = 4  # tokens; fewer are not worth a run of their own
_SHARE = 8  # groups smaller than an eighth of the sequences would make batches too small


@dataclass(frozen=True)
class Beginning:
    """Sequences whose first `length` tokens are the same."""

    sequences: Ints
    length: int

    @classmethod
    def none(cls, tokens: Tokens) -> Beginning:
        return cls(np.arange(len(tokens)), 0)

    def places(self, tokens: Tokens) -> Ints:
        """Where those tokens stand in the ids, for one of the sequences. Shape: (length)"""
        first = int(tokens.offsets[self.sequences[0]]) if len(self.sequences) else 0
        return np.arange(first, first + self.length)

    def batches(self, lengths: Ints, n_workers: int) -> list[Ints]:
        """The sequences in batches by what is left of them. Shape: lengths of all sequences (N)"""
        own = lengths[self.sequences] - self.length
        return [self.sequences[some] for some in packed_batches(own, n_workers)]


def beginnings(tokens: Tokens) -> list[Beginning]:
    """The sequences in groups with what each has in common; the last group has nothing.

    Every sequence keeps at least one token of its own.
    """
    long = np.flatnonzero(tokens.lengths > LEAST)
    heads = tokens.ids[tokens.offsets[long][:, None] + np.arange(LEAST)]  # (N, LEAST)
    _, group, sizes = np.unique(heads, axis=0, return_inverse=True, return_counts=True)
    found, rest = [], np.ones(len(tokens), dtype=bool)
    for number in np.flatnonzero(sizes >= max(2, len(tokens) / _SHARE)):
        sequences = long[group.ravel() == number]
        found.append(Beginning(sequences, _common(tokens, sequences)))
        rest[sequences] = False
    return [*found, Beginning(np.flatnonzero(rest), 0)] if rest.any() else found


def _common(tokens: Tokens, sequences: Ints) -> int:
    """How many tokens all of them begin with."""
    most = int(tokens.lengths[sequences].min()) - 1
    starts = tokens.offsets[sequences]
    for place in range(LEAST, most):
        column = tokens.ids[starts + place]
        if (column != column[0]).any():
            return place
    return most
