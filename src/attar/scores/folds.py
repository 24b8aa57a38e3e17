"""Rows dealt to folds so that every fold has its share of every class."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from attar.errors import DataError
from attar.types import Ints

N_FOLDS = 10
FEWEST_FOLDS = 3  # one to test on, one to choose on, one to learn from


def stratified_folds(labels: npt.NDArray[Any], seed: int, name: str) -> Ints:
    """The fold of each row, shuffled; 10 folds, or fewer where the largest class is smaller. Shape: (N,)"""
    largest = int(np.unique(labels, return_counts=True)[1].max())
    n_folds = min(N_FOLDS, largest)
    if n_folds < FEWEST_FOLDS:
        raise DataError(
            f"{name} has {len(labels)} rows to cross-validate on and at most {largest} of a class; "
            f"at least {FEWEST_FOLDS} rows of some class are needed: add rows, or give train, dev and test splits"
        )
    folds = np.empty(len(labels), dtype=np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # rare classes are missing from some folds: so be it
        parts = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(labels)), labels)
        for fold, (_, held_out) in enumerate(parts):
            folds[held_out] = fold
    return folds
