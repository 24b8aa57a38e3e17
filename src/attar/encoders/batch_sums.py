"""Sums of token vectors while batches are computed side by side, the same whichever batch is ready first."""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

from attar.encoders.token_sums import ById, TokenSums
from attar.types import Doubles, Floats, Ints


class BatchSums:
    """Each batch is summed by the thread that computed it, and added when all before it have been."""

    def __init__(self, sums: TokenSums, ids: npt.NDArray[np.integer]) -> None:
        self._sums, self._ids = sums, ids
        self._highest = max(sums.sums)
        self._begun: dict[int, tuple[ById, dict[int, Doubles]]] = {}
        self._ready: dict[int, tuple[ById, dict[int, Doubles]]] = {}
        self._next = 0
        self._lock = threading.Lock()

    def visit(self, number: int, places: Ints, layer: int, vectors: Floats) -> None:
        """One layer of a batch, lower layers first. Shape: (T of the batch,), (T of the batch, D)"""
        if number not in self._begun:
            self._begun[number] = ById.of(self._ids[places]), {}
        by_id, by_layer = self._begun[number]
        by_layer[layer] = by_id.sum(vectors)
        if layer == self._highest:
            self._finish(number)

    def _finish(self, number: int) -> None:
        with self._lock:
            self._ready[number] = self._begun.pop(number)
            while self._next in self._ready:
                self._sums.add_sums(*self._ready.pop(self._next))
                self._next += 1
