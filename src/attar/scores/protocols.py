"""Three ways to choose a strength on rows that are not tested on, as in SentEval."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from attar.scores.solvers.logistic import LinearModels
from attar.scores.solvers.problem import Predictions, Problem
from attar.types import Doubles, Ints


@dataclass(frozen=True)
class Outcome:
    """Predictions for test rows: one part, or one per fold."""

    predicted: list[Predictions]
    rows: list[Ints]
    on_dev: float  # the measure of the chosen strengths where they were chosen
    c: list[float]  # chosen, one per part
    unconverged: int


def held_out(problem: Problem, train: Ints, dev: Ints, test: Ints) -> Outcome:
    """The strength that is best on dev."""
    models = problem.fit(train, np.ones((1, len(train)), dtype=bool))
    on_dev = problem.measures(models, dev)
    best = int(on_dev.argmax())
    (predicted,) = problem.predict(models.take([best]), test)
    return _outcome(problem, models, [predicted], [test], on_dev[None])


def train_and_test(problem: Problem, train: Ints, test: Ints) -> Outcome:
    """The best in cross-validation over train, as fitted on all of it."""
    folds = problem.folds(train)
    n_folds = int(folds.max()) + 1
    without = folds != np.arange(n_folds + 1)[:, None]  # the last is without none
    models = problem.fit(train, without)
    of_fold = np.arange(len(problem.strengths)) * len(without)  # plus the fold
    on_dev = np.mean([problem.measures(models.take(of_fold + f), train[folds == f]) for f in range(n_folds)], axis=0)
    (predicted,) = problem.predict(models.take([of_fold[on_dev.argmax()] + n_folds]), test)
    return _outcome(problem, models, [predicted], [test], on_dev[None])


def cross_validated(problem: Problem) -> Outcome:
    """Each fold is tested once; its strength is chosen inside the others, holding out each of them in turn.

    A model that saw neither fold i nor fold j helps to choose for both, so that there is one for each two folds.
    """
    rows = np.arange(len(problem.gold))
    folds = problem.folds(rows)
    n_folds = int(folds.max()) + 1
    pairs = list(combinations(range(n_folds), 2))
    alone = [(f, f) for f in range(n_folds)]
    without = np.stack([(folds != i) & (folds != j) for i, j in pairs + alone])
    models = problem.fit(rows, without)
    of_pair = np.arange(len(problem.strengths)) * len(without)  # plus the place of the pair
    on_dev = np.zeros((n_folds, len(problem.strengths)))
    for place, (i, j) in enumerate(pairs):
        both = models.take(of_pair + place)
        on_dev[i] += problem.measures(both, rows[folds == j]) / (n_folds - 1)
        on_dev[j] += problem.measures(both, rows[folds == i]) / (n_folds - 1)
    parts = [rows[folds == fold] for fold in range(n_folds)]
    final = models.take(of_pair[on_dev.argmax(axis=1)] + len(pairs) + np.arange(n_folds))
    predicted = [problem.predict(final.take([fold]), part)[0] for fold, part in enumerate(parts)]
    return _outcome(problem, models, predicted, parts, on_dev)


def _outcome(
    problem: Problem, models: LinearModels, predicted: list[Predictions], rows: list[Ints], on_dev: Doubles
) -> Outcome:
    """Shape: on_dev (parts, S)"""
    c = problem.strengths[on_dev.argmax(axis=1)].tolist()
    return Outcome(predicted, rows, float(on_dev.max(axis=1).mean()), c, int(np.sum(~models.converged)))
