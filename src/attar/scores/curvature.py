"""The Hessian of logistic regression where all weights are 0: a good scale for every step, and cheap to share.

There all rows have the same curvature, so one Gram matrix serves all folds, and one factor each value of the penalty.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from attar.types import Floats

JITTER = 1e-6  # of the diagonal: the Gram matrix is summed in float32


class Curvature:
    """Shape: rows (N, D + 1), the last column 1; `share` of them is learned from, in the mean."""

    def __init__(self, rows: Floats, n_logits: int, share: float) -> None:
        at_zero = 1 / 4 if n_logits == 1 else 1 / n_logits
        self._hessian = (rows.T @ rows).astype(np.float64) * (at_zero * share)
        self._factors: dict[float, Floats] = {}

    def solve(self, gradients: Floats, penalties: Floats) -> Floats:
        """The Newton step at zero, for each gradient. Shape: gradients (P, K, D + 1); penalties (P,), sorted"""
        n_dims = gradients.shape[2]
        steps = np.empty_like(gradients)
        edges = np.flatnonzero(np.diff(penalties, prepend=np.nan, append=np.nan))  # of runs of one penalty
        for start, end in pairwise(edges):
            right = gradients[start:end].reshape(-1, n_dims).T
            solved = cho_solve((self._factor(float(penalties[start])), True), right, check_finite=False)
            steps[start:end] = solved.T.reshape(end - start, -1, n_dims)
        return steps

    def _factor(self, penalty: float) -> Floats:
        if penalty not in self._factors:
            hessian = self._hessian.copy(order="F")
            diagonal = np.einsum("ii->i", hessian)
            diagonal *= 1 + JITTER
            diagonal[:-1] += penalty  # not the intercept
            factor, _ = cho_factor(hessian, lower=True, overwrite_a=True, check_finite=False)
            self._factors[penalty] = np.asfortranarray(factor, dtype=np.float32)
        return self._factors[penalty]
