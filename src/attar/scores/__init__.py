"""What vectors are worth: pure functions from vectors and a task to numbers.

`score` takes any task and names its main number; the others return all they measure.
"""

from __future__ import annotations

import numpy.typing as npt

from attar.errors import InputError
from attar.scores.alignment import alignment, uniformity
from attar.scores.classify import classify
from attar.scores.cluster import cluster
from attar.scores.comparison import best_of_many, difference
from attar.scores.isotropy import isoscore
from attar.scores.ranking import rank
from attar.scores.sts import sts
from attar.tasks.types import ClassifyTask, ClusterTask, StsTask, Task

__all__ = [
    "alignment",
    "best_of_many",
    "classify",
    "cluster",
    "difference",
    "isoscore",
    "rank",
    "score",
    "sts",
    "uniformity",
]


RESAMPLES, RUNS = 1000, 10


def score(vectors: npt.ArrayLike, task: Task, *, resamples: int = RESAMPLES, runs: int = RUNS) -> dict[str, object]:
    """Score the vectors of a task's texts.

    Parameters
    ----------
    vectors : array of shape (N, D)
        One row per text of the task, in the order of `task.texts`.
    task : StsTask, ClusterTask or ClassifyTask
        Texts and answers.
    resamples : int
        Bootstrap resamples of pairs or texts, for the interval of a correlation and for comparisons.
    runs : int
        Runs of k-means.

    Returns
    -------
    dict
        All that is measured, its main number under "score" and the name of that under "metric": "spearman" for pairs,
        "accuracy" for clusters and classes, "pearson" for soft classes. "low" and "high" are the ends of its 95 %
        interval; "draws" the number on resamples of rows, the same for all vectors of a task: `difference` compares
        two recipes by them. All are from 0 to 1 (correlations from -1).

    Raises
    ------
    InputError
        If the vectors do not fit the task, or are not finite.
    """
    found: dict[str, object]
    match task:
        case StsTask():
            metric, found = "spearman", {**sts(vectors, task, resamples=resamples)}
        case ClusterTask():
            metric, found = "accuracy", {**cluster(vectors, task, runs=runs, resamples=resamples)}
        case ClassifyTask():
            metric, found = "pearson" if task.soft else "accuracy", {**classify(vectors, task, resamples=resamples)}
        case _:
            raise InputError(f"{type(task).__name__} is no task; allowed: StsTask, ClusterTask, ClassifyTask")
    return {"metric": metric, "score": found[metric], **found}
