"""A classification task as logistic regression sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attar.errors import DataError
from attar.scores.correlation import pearson
from attar.scores.features import class_targets, pair_features, soft_targets, standardised
from attar.scores.folds import stratified_folds
from attar.scores.rows import check_length, check_scores, rows_of_task
from attar.scores.solvers.logistic import LinearModels, fit_logistic
from attar.tasks.types import ClassifyTask
from attar.types import Doubles, Floats, Ints

STRENGTHS = tuple(2.0**power for power in range(-2, 6))
SOFT_STRENGTHS = tuple(2.0**power for power in range(-12, -3))

Predictions = npt.NDArray[Any]  # class numbers, or expected scores where soft


@dataclass(frozen=True)
class Problem:
    """Features and targets of all rows, and the strengths (C) to choose from."""

    name: str
    features: Floats  # (N, D)
    targets: Floats  # (K, N)
    gold: npt.NDArray[Any]  # (N,) class numbers or scores
    values: Doubles | None  # (K,) the scores that soft classes stand for; None where classes are classes
    strengths: Doubles  # (S,)
    seed: int

    def fit(self, rows: Ints, used: npt.NDArray[np.bool_]) -> LinearModels:
        """Every strength on every fold, a fold being what is used of the rows. Shape: used (F, rows), S * F models"""
        return fit_logistic(self.features[rows], self.targets[:, rows], used, self.strengths)

    def predict(self, models: LinearModels, rows: Ints) -> Predictions:
        """Shape: (P, rows)"""
        logits = models.logits(self.features[rows])
        if self.values is not None:
            likely = np.exp(logits - logits.max(axis=1, keepdims=True))
            expected: Doubles = np.einsum("pkn,k->pn", likely / likely.sum(axis=1, keepdims=True), self.values)
            return expected
        return (logits[:, 0] > 0).astype(np.int64) if len(self.targets) == 1 else logits.argmax(axis=1)

    def measure(self, predicted: Predictions, rows: Ints) -> float:
        """Accuracy, or the Pearson correlation where classes are soft."""
        gold = self.gold[rows]
        return pearson(predicted, gold) if self.values is not None else float(np.mean(predicted == gold))

    def measures(self, models: LinearModels, rows: Ints) -> Doubles:
        """Of each model on these rows. Shape: (P,)"""
        return np.array([self.measure(predicted, rows) for predicted in self.predict(models, rows)])

    def folds(self, rows: Ints) -> Ints:
        """The fold of each of these rows."""
        strata = np.rint(self.gold[rows]) if self.values is not None else self.gold[rows]
        return stratified_folds(strata, self.seed, self.name)


def problem_of(vectors: npt.ArrayLike, task: ClassifyTask, seed: int) -> Problem:
    n_rows = len(task.left)
    if n_rows == 0:
        raise DataError(f"{task.name} has no rows: nothing to classify")
    check_length(task.name, "right sides", len(task.right) or n_rows, n_rows)
    check_length(task.name, "labels", len(task.labels), n_rows)
    rows = rows_of_task(vectors, task.name, len(task.texts))
    features = pair_features(rows[:n_rows], rows[n_rows:]) if task.right else rows.astype(np.float32)
    train = task.splits.get("train", slice(None))
    if len(np.unique(task.labels[train])) < 2:
        raise DataError(f"{task.name} has training rows of one label alone; at least 2 are needed: check its labels")
    if not task.soft:
        present, labels = np.unique(task.labels, return_inverse=True)
        targets = class_targets(labels, len(present))
        return Problem(task.name, features, targets, labels, None, np.array(STRENGTHS), seed)
    scores = np.asarray(task.labels, dtype=np.float64)
    check_scores(task.name, scores)
    targets, values = soft_targets(scores)
    return Problem(task.name, standardised(features, train), targets, scores, values, np.array(SOFT_STRENGTHS), seed)
