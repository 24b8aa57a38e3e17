"""Logistic regression with an L2 penalty, many problems at once: all folds and strengths share every matrix product.

Each problem minimises C * (sum of losses over its rows) + |w|^2 / 2, as scikit-learn's `LogisticRegression(C=C)` does;
the intercept is not penalised. Two classes have a single logit, more have a softmax, and targets may be soft.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attar.scores.curvature import Curvature
from attar.scores.descent import Batch, minimise
from attar.types import Doubles, Floats, Ints

LOGITS_AT_ONCE = 2**24  # numbers in one (P, K, N) array, of which a few live at a time


@dataclass(frozen=True)
class LinearModels:
    """P fitted problems of K logits each."""

    weights: Floats  # (P, K, D)
    intercepts: Floats  # (P, K)
    iterations: Ints  # (P,)
    converged: npt.NDArray[np.bool_]  # (P,)

    def take(self, problems: npt.ArrayLike) -> LinearModels:
        """These problems alone."""
        kept = np.asarray(problems)
        return LinearModels(self.weights[kept], self.intercepts[kept], self.iterations[kept], self.converged[kept])

    def logits(self, x: Floats) -> Floats:
        """Shape: x (N, D); result (P, K, N)"""
        n_problems, n_logits, n_dims = self.weights.shape
        product = self.weights.reshape(-1, n_dims) @ x.T
        logits: Floats = product.reshape(n_problems, n_logits, len(x)) + self.intercepts[:, :, None]
        return logits


def fit_logistic(
    x: Floats, targets: Floats, used: npt.NDArray[np.bool_], c: Doubles, tol: float = 1e-7, max_iter: int = 300
) -> LinearModels:
    """Fit P problems on the same rows.

    Shape: x (N, D); targets (K, N), columns that sum to 1, or (1, N) the probability of the second of two classes;
    used (P, N), the rows each problem learns from; c (P,).
    A problem stops when the gain it can still expect, as a mean over its rows, is below `tol`.
    """
    n_logits, (n_rows, n_dims) = len(targets), x.shape
    mean = x.mean(axis=0, dtype=np.float64)
    # Centring changes the intercept alone, and decouples it from the weights. Its column is the last.
    rows = np.empty((n_rows, n_dims + 1), dtype=np.float32)
    np.subtract(x, mean, out=rows[:, :n_dims], casting="same_kind")
    rows[:, n_dims] = 1
    curvature = Curvature(rows, n_logits, share=float(used.mean()))
    weights = np.empty((len(c), n_logits, n_dims + 1), dtype=np.float32)
    iterations = np.empty(len(c), dtype=np.int64)
    order = np.argsort(c, kind="stable")  # problems of one C lie side by side
    n_at_once = max(1, LOGITS_AT_ONCE // (n_logits * n_rows))
    for start in range(0, len(c), n_at_once):
        part = order[start : start + n_at_once]
        batch = Batch(rows, targets, used[part].astype(np.float32), (1 / c[part]).astype(np.float32))
        weights[part], iterations[part] = minimise(batch, curvature, tol, max_iter)
    intercepts = weights[:, :, n_dims] - weights[:, :, :n_dims] @ mean
    return LinearModels(weights[:, :, :n_dims], intercepts.astype(np.float32), iterations, iterations < max_iter)
