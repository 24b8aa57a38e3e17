"""Principal axes from moments."""

from __future__ import annotations

import numpy as np

from attar.shapers.moments import Moments
from attar.types import Doubles

# A variance at most this part of the greatest counts as 0: a model run in float32 leaves rounding noise of about 1e-11
# where nothing varies, and noise that is blown up would change with the batch.
TOLERANCE = 1e-10
ROUNDED = 1e-4  # where moments are rounded, variances below this part of the greatest have lost digits


class TooRoundedError(Exception):
    """The moments would have to be exact."""


def principal_axes(moments: Moments, n: int) -> tuple[Doubles, Doubles]:
    """The n directions of greatest variance and their variances (divided by n - 1), greatest first.

    Raises TooRoundedError where moments are rounded and these variances differ by too much.
    Each direction is turned so that its entry of greatest size is positive.
    Variances of at most TOLERANCE times the greatest come out as exactly 0. Shape: (D, n) and (n,)
    """
    covariance = moments.covariance()
    d = len(covariance)
    if n == 0:
        return np.empty((d, 0)), np.empty(0)
    # By numpy, as the moments: scipy's library has threads of its own, and those of two libraries get in their way.
    variances, axes = np.linalg.eigh(covariance)
    variances, axes = variances[: -n - 1 : -1], axes[:, : -n - 1 : -1]
    if moments.rounded and not variances[-1] >= ROUNDED * variances[0]:
        raise TooRoundedError
    largest_entry = axes[np.abs(axes).argmax(axis=0), np.arange(n)]
    kept = variances > TOLERANCE * variances[0]
    return axes * np.where(largest_entry < 0, -1.0, 1.0), np.where(kept, variances, 0.0)
