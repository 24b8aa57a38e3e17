"""Three ways to choose a strength on rows that are not tested on, as in SentEval."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from attar.scores.problem import Predictions, Problem
from attar.types import Ints


@dataclass(frozen=True)
class Outcome:
    """Predictions for test rows: one part, or one a fold."""

    predicted: list[Predictions]
    rows: list[Ints]
    on_dev: float  # the measure of the chosen strengths where they were chosen
    c: list[float]  # chosen, one a part
    unconverged: int


def held_out(problem: Problem, train: Ints, dev: Ints, test: Ints) -> Outcome:
    """The strength that is best on dev."""
    everything = np.ones((len(problem.strengths), len(train)), dtype=bool)
    models = problem.fit(train, everything, problem.strengths)
    on_dev = problem.measures(models, dev)
    best = int(on_dev.argmax())
    (predicted,) = problem.predict(models.take([best]), test)
    unconverged = int(np.sum(~models.converged))
    return Outcome([predicted], [test], float(on_dev[best]), [float(problem.strengths[best])], unconverged)


def train_and_test(problem: Problem, train: Ints, test: Ints) -> Outcome:
    """The best in cross-validation over train, fitted again on all of it."""
    folds = problem.folds(train)
    n_folds, n_strengths = int(folds.max()) + 1, len(problem.strengths)
    without = folds != np.arange(n_folds)[:, None]  # (folds, rows)
    models = problem.fit(train, np.tile(without, (n_strengths, 1)), np.repeat(problem.strengths, n_folds))
    of_fold = np.arange(n_strengths) * n_folds  # plus the fold
    on_dev = np.mean([problem.measures(models.take(of_fold + f), train[folds == f]) for f in range(n_folds)], axis=0)
    best = int(on_dev.argmax())
    strength = problem.strengths[[best]]
    final = problem.fit(train, np.ones((1, len(train)), dtype=bool), strength)
    (predicted,) = problem.predict(final, test)
    unconverged = int(np.sum(~models.converged) + np.sum(~final.converged))
    return Outcome([predicted], [test], float(on_dev[best]), [float(strength[0])], unconverged)


def cross_validated(problem: Problem) -> Outcome:
    """Each fold is tested once; its strength is chosen inside the others, holding out each of them in turn.

    A model that saw neither fold i nor fold j helps to choose for both, so that there is one for each two folds.
    """
    rows = np.arange(len(problem.gold))
    folds = problem.folds(rows)
    n_folds, n_strengths = int(folds.max()) + 1, len(problem.strengths)
    pairs = list(combinations(range(n_folds), 2))
    without = np.stack([(folds != i) & (folds != j) for i, j in pairs])
    models = problem.fit(rows, np.tile(without, (n_strengths, 1)), np.repeat(problem.strengths, len(pairs)))
    inner = np.zeros((n_folds, n_folds, n_strengths))  # tested fold, fold to choose on
    of_pair = np.arange(n_strengths) * len(pairs)
    for number, (i, j) in enumerate(pairs):
        both = models.take(of_pair + number)
        inner[i, j] = problem.measures(both, rows[folds == j])
        inner[j, i] = problem.measures(both, rows[folds == i])
    on_dev = inner.sum(axis=1) / (n_folds - 1)  # (folds, S); the diagonal is 0
    c = problem.strengths[on_dev.argmax(axis=1)]
    final = problem.fit(rows, folds != np.arange(n_folds)[:, None], c)
    parts = [rows[folds == fold] for fold in range(n_folds)]
    predicted = [problem.predict(final.take([fold]), part)[0] for fold, part in enumerate(parts)]
    unconverged = int(np.sum(~models.converged) + np.sum(~final.converged))
    return Outcome(predicted, parts, float(on_dev.max(axis=1).mean()), c.tolist(), unconverged)
