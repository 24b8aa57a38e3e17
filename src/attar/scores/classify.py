"""Classification as in SentEval: logistic regression on the frozen vectors, its strength chosen on held-out rows.

- train, dev and test: the strength that is best on dev.
- train and test: the best in 10-fold cross-validation over train, then fitted on all of train.
- no splits: 10-fold cross-validation, the strength of each fold chosen within the other nine.

The strengths are C = 1/4, 1/2 ... 32: the two grids of SentEval's scikit-learn branch together. Pairs are seen as
(|u - v|, u * v). Soft tasks (STS-B, SICK-R) are learned as soft classes and predict the expected class. SentEval trains
these by Adam without a penalty, to which the scale of a feature hardly matters; here features are standardised and
C = 2^-12 ... 2^-4.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

import numpy as np
import numpy.typing as npt

from attar.errors import DataError
from attar.scores.correlation import bootstrap_mean, bootstrap_pearson, spearman
from attar.scores.intervals import percentile_interval, student_interval, wilson_interval
from attar.scores.protocols import Outcome, cross_validated, held_out, train_and_test
from attar.scores.solvers.problem import Problem, problem_of
from attar.tasks.types import ClassifyTask
from attar.types import Doubles

RESAMPLES = 1000


class ClassifyScores(TypedDict):
    accuracy: float  # on the test rows, or the mean over folds; of a soft task the Pearson correlation
    low: float  # 95 % interval: Wilson over test rows, bootstrap over them where soft, Student over folds
    high: float
    dev_accuracy: float  # of the chosen strength, on the rows it was chosen on
    c: list[float]  # the chosen C; one per fold
    unconverged: int  # fits that ran out of iterations
    draws: tuple[float, ...]  # the same on each bootstrap resample of the tested rows
    pearson: NotRequired[float]  # of soft tasks
    spearman: NotRequired[float]


def classify(
    vectors: npt.ArrayLike, task: ClassifyTask, seed: int = 1111, resamples: int = RESAMPLES
) -> ClassifyScores:
    """Accuracy of logistic regression on the vectors, by the protocol of SentEval.

    For a soft task the main number, under "accuracy" too, is the Pearson correlation of the expected class with the
    score, as SentEval reports it; "pearson" and "spearman" are there by name as well.

    Parameters
    ----------
    vectors : array of shape (N, D) or (2 N, D)
        One row per text of the task; of pairs all left sides, then all right ones.
    task : ClassifyTask
        Texts and labels, with or without splits.
    seed : int
        Decides how rows are dealt to folds.
    resamples : int
        Bootstrap resamples of tested rows.

    Returns
    -------
    ClassifyScores
        A dict of the accuracy, its 95 % interval ("low", "high"), the accuracy on held-out rows, the chosen
        strengths, how many fits did not converge, and the accuracy on each resample ("draws"). Scores are from 0 to 1.

    Raises
    ------
    InputError
        If the vectors do not fit the task, or are not finite.
    DataError
        If the task has too few rows or classes, or lacks a split.
    """
    problem = problem_of(vectors, task, seed)
    outcome = _outcome(problem, task)
    parts = list(zip(outcome.predicted, outcome.rows, strict=True))
    measures = np.array([problem.measure(predicted, rows) for predicted, rows in parts])
    draws = _draws(problem, outcome, resamples)
    low, high = _interval(problem, outcome, measures, draws)
    result = ClassifyScores(
        accuracy=float(measures.mean()),
        low=low,
        high=high,
        dev_accuracy=outcome.on_dev,
        c=outcome.c,
        unconverged=outcome.unconverged,
        draws=tuple(draws.tolist()),
    )
    if task.soft:
        result["pearson"] = result["accuracy"]
        result["spearman"] = float(np.mean([spearman(predicted, problem.gold[rows]) for predicted, rows in parts]))
    return result


def _outcome(problem: Problem, task: ClassifyTask) -> Outcome:
    if not task.splits:
        return cross_validated(problem)
    missing = [split for split in ("train", "test") if split not in task.splits]
    if missing:
        raise DataError(
            f"{task.name} has the splits {', '.join(task.splits)} but no {' and no '.join(missing)}: "
            f"give train and test (and dev), or no splits for cross-validation"
        )
    rows = {split: np.arange(len(problem.gold))[place] for split, place in task.splits.items()}
    for split, part in rows.items():
        if len(part) < 2:
            raise DataError(f"the split {split} of {task.name} has {len(part)} rows; at least 2 are needed")
    if "dev" in rows:
        return held_out(problem, rows["train"], rows["dev"], rows["test"])
    return train_and_test(problem, rows["train"], rows["test"])


def _draws(problem: Problem, outcome: Outcome, resamples: int) -> Doubles:
    """The measure on resamples of all tested rows, in the order of the task. Shape: (resamples,)"""
    order = np.argsort(np.concatenate(outcome.rows), kind="stable")
    predicted = np.concatenate(outcome.predicted)[order]
    gold = problem.gold[np.concatenate(outcome.rows)[order]]
    if problem.values is not None:
        return bootstrap_pearson(predicted, gold, resamples, problem.seed)
    return bootstrap_mean((predicted == gold).astype(np.float64), resamples, problem.seed)


def _interval(problem: Problem, outcome: Outcome, measures: Doubles, draws: Doubles) -> tuple[float, float]:
    if len(measures) > 1:
        low, high = student_interval(measures)
        return max(-1.0 if problem.values is not None else 0.0, low), min(1.0, high)
    if problem.values is None:
        return wilson_interval(float(measures[0]), len(outcome.rows[0]))
    return percentile_interval(draws)
