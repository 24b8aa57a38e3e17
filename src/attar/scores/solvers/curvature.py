"""The curvature of logistic regression, factored, to scale steps by: a preconditioner that all folds share.

Where all weights are 0 every row has the same curvature, so that one Gram matrix does for all logits. Elsewhere a row
counts by p * (1 - p), in the mean over the folds, and each logit has a Gram matrix of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from attar.errors import InputError
from attar.types import Doubles, Floats

JITTERS = (1e-6, 1e-4, 1e-2, 1.0)  # of the diagonal: Gram matrices are summed in float32


class Curvature:
    """Shape: grams, of which there is one for all logits or one for each, (D, D); the last of the D is the intercept"""

    def __init__(self, grams: Iterable[Doubles], penalty: float) -> None:
        self._factors = [_factor(gram, penalty) for gram in grams]

    def solve(self, gradients: Floats) -> Floats:
        """The inverse of the curvature times each gradient. Shape: (P, K, D)"""
        if len(self._factors) == 1:
            flat = gradients.reshape(-1, gradients.shape[2]).T
            solved: Floats = cho_solve((self._factors[0], True), flat, check_finite=False)
            return solved.T.reshape(gradients.shape)
        steps = np.empty_like(gradients)
        for logit, factor in enumerate(self._factors):
            steps[:, logit] = cho_solve((factor, True), gradients[:, logit].T, check_finite=False).T
        return steps


def gram_matrix(rows: Floats) -> Doubles:
    """Shape: rows (N, D), result (D, D)"""
    with np.errstate(over="ignore", invalid="ignore"):
        gram = rows.T @ rows
    if not np.isfinite(gram).all():
        raise InputError(
            f"features as large as {np.abs(rows).max():.2g} can't be squared in float32: scale them to about 1 first"
        )
    return gram.astype(np.float64)


def weighted_grams(rows: Floats, weights: Floats) -> list[Doubles]:
    """One Gram matrix for each row of weights. Shape: rows (N, D), weights (K, N)"""
    return [gram_matrix(rows * np.sqrt(row_weights)[:, None]) for row_weights in weights]


def _factor(gram: Doubles, penalty: float) -> Floats:
    """The Cholesky factor, of a rounder matrix where rounding has left this one without."""
    for jitter in JITTERS:
        hessian = gram.copy(order="F")
        diagonal = np.einsum("ii->i", hessian)
        diagonal *= 1 + jitter
        diagonal[:-1] += penalty  # not the intercept
        diagonal[diagonal <= 0] = 1
        try:
            factor, _ = cho_factor(hessian, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            continue
        return np.asfortranarray(factor, dtype=np.float32)
    return np.asfortranarray(np.diag(np.sqrt(diagonal)), dtype=np.float32)
