"""From token ids to layer 0, for BERT-like models: token, place and segment, normed; for some then made wider."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from attar.engine.kernels import Kernels, Norm
from attar.engine.parts import Dense
from attar.engine.products import float32
from attar.types import Floats, Ints, token_index


class Inputs(Protocol):
    """What stands before the first block."""

    @property
    def table(self) -> Floats:
        """Layer -1. Shape: (V, D of the table)"""
        ...

    def __call__(self, ids: Ints, lengths: Ints) -> Floats:
        """Shape: (T), (N) -> (T, D)"""
        ...


class Places:
    """The vectors of places in a sequence; the first place has the row `first`.

    Where a token is `padding`, which RoBERTa-like models do not count: it has the row before the first one.
    """

    def __init__(self, rows: Floats, first: int, padding: int | None = None) -> None:
        self._rows = rows
        self._first = first
        self._padding = padding

    def __call__(self, ids: Ints, lengths: Ints) -> Floats:
        """Shape: (T), (N) -> (T, D)"""
        at = token_index(np.full_like(lengths, self._first), lengths)
        pads = np.flatnonzero(ids == self._padding) if self._padding is not None else ()
        if len(pads):
            seen = np.zeros(len(ids) + 1, dtype=np.int64)  # how many before each token, and in all
            np.cumsum(ids == self._padding, out=seen[1:])
            starts = np.cumsum(lengths) - lengths
            at -= seen[:-1] - np.repeat(seen[starts], lengths)
            at[pads] = self._first - 1
        rows: Floats = self._rows[at]
        return rows


class TokenInputs:
    """BERT, RoBERTa, DistilBERT; ELECTRA where its table is narrower than its layers."""

    def __init__(
        self,
        table: Floats,
        places: Places,
        segment: Floats,
        norm: Norm,
        kernels: Kernels,
        wider: Dense | None,
    ) -> None:
        self.table = table
        self._places, self._segment, self._norm, self._kernels = places, segment, norm, kernels
        self._wider = None if wider is None else (float32(wider.weight), wider.bias)

    def __call__(self, ids: Ints, lengths: Ints) -> Floats:
        x: Floats = self.table[ids]
        self._kernels.add_norm(x, self._segment, self._places(ids, lengths), self._norm)
        if self._wider is not None:
            times, bias = self._wider
            x = times(x)
            x += bias
        return x


class TrigramInputs:
    """MobileBERT: a token is read together with the one behind it and the one before it."""

    def __init__(
        self,
        table: Floats,
        places: Places,
        segment: Floats,
        scaling: Norm,
        kernels: Kernels,
        wider: Dense,
    ) -> None:
        self.table = table
        self._times, self._bias = float32(wider.weight), wider.bias + segment
        self._places, self._scaling, self._kernels = places, scaling, kernels

    def __call__(self, ids: Ints, lengths: Ints) -> Floats:
        own: Floats = self.table[ids]
        ends = np.cumsum(lengths)
        behind, before = np.zeros_like(own), np.zeros_like(own)
        behind[:-1], before[1:] = own[1:], own[:-1]
        behind[ends - 1] = 0  # nothing reaches into the next sequence
        before[ends - lengths] = 0
        x = self._times(np.concatenate([behind, own, before], axis=1))
        self._kernels.add_scale(x, self._bias, self._places(ids, lengths), self._scaling)
        return x
