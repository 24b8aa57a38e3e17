"""95 % intervals around a score."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from attar.types import Doubles

LEVEL = 0.95
NORMAL_QUANTILE = 1.959963984540054  # of a normal distribution at 97.5 %


def percentile_interval(resampled: Doubles) -> tuple[float, float]:
    """Of a bootstrap: the middle 95 % of the resampled scores."""
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def student_interval(values: Doubles) -> tuple[float, float]:
    """Of the mean of a few runs or folds. One value has no spread: both ends are that value."""
    mean = float(values.mean())
    if len(values) < 2:
        return mean, mean
    reach = stdtrit(len(values) - 1, (1 + LEVEL) / 2) * values.std(ddof=1) / np.sqrt(len(values))
    return mean - float(reach), mean + float(reach)


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Of a share of n independent rows, by Wilson's score."""
    z2 = NORMAL_QUANTILE**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = NORMAL_QUANTILE * np.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, float(centre - reach)), min(1.0, float(centre + reach))
