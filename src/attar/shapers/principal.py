"""Principal axes from moments."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from attar.engine.threads import single_threaded
from attar.shapers.moments import Moments
from attar.types import Doubles

# A variance at most this part of the greatest counts as 0: a model run in float32 leaves rounding noise of about 1e-11
# where nothing varies, and noise that is blown up would change with the batch.
TOLERANCE = 1e-10
FEW = 8  # at most 1 / FEW of all axes are found quicker one by one than all at once
ROUNDED = 1e-4  # where moments are rounded, variances below this part of the greatest have lost digits


# Measured (docs/evaluation.md): with so many texts, scores are within a point of those with any number of them.
TEXTS_PER_AXIS = 50  # for each of a few axes
TEXTS_PER_DIM = 5  # for all of them


class TooRoundedError(Exception):
    """The moments would have to be exact."""


def texts_for(n_axes: int, n_features: int) -> int:
    """How many texts it takes to learn so many principal axes, or how strong each direction is, of so many dims."""
    return min(TEXTS_PER_AXIS * n_axes, TEXTS_PER_DIM * n_features)


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
    variances, axes = _last_axes(covariance, n)
    variances, axes = variances[::-1], axes[:, ::-1]
    if moments.rounded and not variances[-1] >= ROUNDED * variances[0]:
        raise TooRoundedError
    largest_entry = axes[np.abs(axes).argmax(axis=0), np.arange(n)]
    kept = variances > TOLERANCE * variances[0]
    return axes * np.where(largest_entry < 0, -1.0, 1.0), np.where(kept, variances, 0.0)


def _last_axes(covariance: Doubles, n: int) -> tuple[Doubles, Doubles]:
    """Those of the n greatest variances, least first. Shape: (n,) and (D, n)"""
    d = len(covariance)
    if n * FEW <= d:
        with single_threaded():  # threads of scipy's library would get in the way of those of numpy's
            variances, axes = eigh(covariance, subset_by_index=[d - n, d - 1], driver="evr")
        if len(variances) == n:  # bisection can miss some of several that are equal
            return variances, axes
    variances, axes = np.linalg.eigh(covariance)
    return variances[-n:], axes[:, -n:]
