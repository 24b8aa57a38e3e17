"""What logistic regression sees: features of pairs, and targets made of labels or of scores."""

from __future__ import annotations

import numpy as np

from attar.errors import DataError
from attar.scores.rows import Rows
from attar.types import Doubles, Floats, Ints

MOST_SOFT_CLASSES = 20


def pair_features(left: Rows, right: Rows) -> Floats:
    """|u - v| beside u * v. Shape: (N, 2D)"""
    features: Floats = np.hstack([np.abs(left - right), left * right]).astype(np.float32)
    return features


def standardised(rows: Floats, train: slice) -> Floats:
    """Every feature with mean 0 and deviation 1 over the training rows; one that does not vary there becomes 0."""
    mean = rows[train].mean(axis=0, dtype=np.float64)
    deviation = rows[train].std(axis=0, dtype=np.float64)
    scale = np.divide(1, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    scaled: Floats = ((rows - mean) * scale).astype(np.float32)
    return scaled


def class_targets(labels: Ints, n_classes: int) -> Floats:
    """Wanted probabilities; of two classes only that of the second. Shape: (K, N)"""
    if n_classes == 2:
        return labels[None].astype(np.float32)
    targets: Floats = (labels == np.arange(n_classes)[:, None]).astype(np.float32)
    return targets


def soft_targets(scores: Doubles) -> tuple[Floats, Doubles]:
    """Wanted probabilities of whole numbers, and these numbers: 3.6 is 3 with weight 0.4 and 4 with weight 0.6.

    The numbers go from the lowest score to the highest: 1 to 5 for SICK-R, 0 to 5 for STS-B. Shape: (K, N), (K,)
    """
    lowest, highest = np.floor(scores.min()), np.ceil(scores.max())
    n_classes = int(highest - lowest) + 1
    if not 2 <= n_classes <= MOST_SOFT_CLASSES:
        raise DataError(
            f"scores from {scores.min():g} to {scores.max():g} would make {n_classes} soft classes; allowed are 2 to "
            f"{MOST_SOFT_CLASSES}: scale them, for example to 0 to 5"
        )
    values = lowest + np.arange(n_classes)
    weights = np.maximum(0, 1 - np.abs(scores - values[:, None]))
    return weights.astype(np.float32), values
