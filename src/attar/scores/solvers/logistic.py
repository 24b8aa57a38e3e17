"""Logistic regression with an L2 penalty, many problems at once: all folds and strengths share every matrix product.

Each problem minimises C * (sum of losses over its rows) + |w|^2 / 2, as scikit-learn's `LogisticRegression(C=C)` does;
the intercept is not penalised. Two classes have a single logit, more have a softmax, and targets may be soft.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attar.scores.solvers.curvature import Curvature, gram_matrix, weighted_grams
from attar.scores.solvers.descent import ProblemBatch, minimise
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
    x: Floats,
    targets: Floats,
    used: npt.NDArray[np.bool_],
    strengths: Doubles,
    tol: float = 1e-7,
    max_iter: int = 300,
) -> LinearModels:
    """Fit F folds with each of S strengths (C); problem s * F + f has strength s and learns from the rows of fold f.

    Shape: x (N, D); targets (K, N), columns that sum to 1, or (1, N) the probability of the second of two classes;
    used (F, N); strengths (S,).
    A problem stops when the gain it can still expect, as a mean over its rows, is below `tol`.
    """
    n_logits, (n_rows, n_dims), n_folds = len(targets), x.shape, len(used)
    mean = x.mean(axis=0, dtype=np.float64).astype(np.float32)
    # Centring changes the intercept alone, and decouples it from the weights. Its column is the last.
    rows = np.empty((n_rows, n_dims + 1), dtype=np.float32)
    np.subtract(x, mean, out=rows[:, :n_dims])
    rows[:, n_dims] = 1
    gram = gram_matrix(rows) * (float(used.mean()) * (1 / 4 if n_logits == 1 else 1 / n_logits))  # curvature at zero
    weights = np.empty((len(strengths), n_folds, n_logits, n_dims + 1), dtype=np.float32)
    iterations = np.empty((len(strengths), n_folds), dtype=np.int64)
    n_at_once = max(1, LOGITS_AT_ONCE // (n_logits * n_rows))
    for start in range(0, n_folds, n_at_once):
        part = slice(start, start + n_at_once)
        path = _path(rows, targets, used[part].astype(np.float32), strengths, gram, tol, max_iter)
        weights[:, part], iterations[:, part] = path
    flat = weights.reshape(-1, n_logits, n_dims + 1)
    intercepts = flat[:, :, n_dims] - flat[:, :, :n_dims] @ mean.astype(np.float64)
    if n_logits > 1:  # what all have in common says nothing
        intercepts -= intercepts.mean(axis=1, keepdims=True)
    return LinearModels(
        flat[:, :, :n_dims], intercepts.astype(np.float32), iterations.ravel(), iterations.ravel() < max_iter
    )


def _path(
    rows: Floats, targets: Floats, samples: Floats, strengths: Doubles, gram: Doubles, tol: float, max_iter: int
) -> tuple[Floats, Ints]:
    """From the weakest strength on, each from where the last two point to. Shape: (S, F, K, D + 1), (S, F)"""
    n_folds, n_logits, n_dims = len(samples), len(targets), rows.shape[1]
    weights = np.zeros((len(strengths), n_folds, n_logits, n_dims), dtype=np.float32)
    iterations = np.zeros((len(strengths), n_folds), dtype=np.int64)
    here = np.zeros_like(weights[0])
    last: Floats | None = None
    grams, steps_before = [gram], 0.0
    for s in np.argsort(strengths, kind="stable"):
        batch = ProblemBatch(rows, targets, samples, penalty=1 / float(strengths[s]))
        # New Gram matrices cost as much as this many iterations; they halve them where they are many.
        if steps_before > 2 * n_dims / (4 * n_folds):
            grams = weighted_grams(rows, batch.row_curvatures(here))
        weights[s], iterations[s] = minimise(batch, Curvature(grams, batch.penalty), here, tol, max_iter)
        if n_logits > 1:  # what all logits have in common costs a penalty and changes nothing else
            weights[s] -= weights[s].mean(axis=1, keepdims=True)
        here = weights[s] if last is None else 2 * weights[s] - last  # on as from the last strength to this one
        last = weights[s]
        steps_before = float(iterations[s].mean())
    return weights, iterations
