"""BottomK: a sample of rows chosen by the hash of the row number: deterministic, and the same for any shards."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attar.encoders.normals import Words, splitmix64
from attar.errors import InputError
from attar.recipe import Sampled
from attar.types import Ints

ROWS = 100_000
CONFIDENCE = 0.99


def hash_rows(rows: Ints) -> Words:
    """Hashes of row numbers by SplitMix64, which gives every row a different one."""
    return splitmix64(rows.astype(np.uint64))


@dataclass(frozen=True)
class BottomK:
    """The k rows of least hash out of `of` rows; all of them where there are no more than k."""

    k: int
    of: int

    def __post_init__(self) -> None:
        if self.k < 1 or self.of < 0:
            raise InputError(f"a sample of {self.k} out of {self.of} rows is not allowed; give 1 or more")

    @property
    def rows(self) -> int:
        return min(self.k, self.of)

    def candidates(self, first: int, n: int) -> Ints:
        """Of the rows first, first + 1, ... (n of them), those that may be in the sample: few more than will be."""
        rows = np.arange(first, first + n, dtype=np.int64)
        if self.of <= self.k:
            return rows
        share = (self.k + 8 * math.sqrt(self.k) + 16) / self.of
        return rows if share >= 1 else rows[hash_rows(rows) < np.uint64(int(share * 2**64))]

    def choose(self, rows: Ints) -> Ints:
        """Which of all candidates are in the sample: places in `rows`, by ascending row."""
        least = np.argsort(hash_rows(rows))[: self.k]
        return least[np.argsort(rows[least])].astype(np.int64)

    @property
    def rank_error(self) -> float:
        """How far a share of the sample may be from that of all rows, at all values of a dim at once.

        The inequality of Dvoretzky, Kiefer, Wolfowitz and Massart; it holds with CONFIDENCE.
        """
        return 0.0 if self.of <= self.k else math.sqrt(math.log(2 / (1 - CONFIDENCE)) / (2 * self.k))

    def account(self) -> Sampled | None:
        """As a recipe records it: nothing, where all rows are in the sample."""
        if self.of <= self.k:
            return None
        return Sampled("bottom-k", self.rows, self.of, round(self.rank_error, 6), CONFIDENCE)
