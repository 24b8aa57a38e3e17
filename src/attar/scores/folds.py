"""Rows dealt to folds so that every fold has its share of every class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from attar.errors import DataError
from attar.types import Ints

N_FOLDS = 10
FEWEST_FOLDS = 3  # one to test on, one to choose on, one to learn from


def stratified_folds(labels: npt.NDArray[Any], seed: int, name: str) -> Ints:
    """The fold of each row, at random; 10 folds, or fewer where even the largest class is smaller. Shape: (N,)"""
    largest = int(np.unique(labels, return_counts=True)[1].max())
    n_folds = min(N_FOLDS, largest)
    if n_folds < FEWEST_FOLDS:
        raise DataError(
            f"{name} has {len(labels)} rows to cross-validate on, at most {largest} of a class; {FEWEST_FOLDS} of one "
            f"class are the least: add rows, or give train, dev and test splits"
        )
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    folds = np.empty(len(labels), dtype=np.int64)
    folds[by_class] = np.arange(len(labels)) % n_folds  # dealt like cards, class after class
    return folds
