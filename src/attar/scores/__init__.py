"""What vectors are worth: pure functions from vectors and a task to numbers.

`score` takes any task and names its main number; the others return all they measure.
"""

from __future__ import annotations

import numpy.typing as npt

from attar.errors import InputError
from attar.scores.alignment import alignment, uniformity
from attar.scores.classify import classify
from attar.scores.cluster import cluster
from attar.scores.isotropy import isoscore
from attar.scores.sts import sts
from attar.tasks.types import ClassifyTask, ClusterTask, StsTask, Task

__all__ = ["alignment", "classify", "cluster", "isoscore", "score", "sts", "uniformity"]


def score(vectors: npt.ArrayLike, task: Task) -> dict[str, object]:
    """All that is measured on the task, and its main number under "score", with its name under "metric".

    The main number is "spearman" for pairs, "accuracy" for clusters and classes, and "pearson" for soft classes;
    "low" and "high" are the ends of its 95 % interval. All are from 0 to 1 (correlations from -1).
    """
    found: dict[str, object]
    match task:
        case StsTask():
            metric, found = "spearman", {**sts(vectors, task)}
        case ClusterTask():
            metric, found = "accuracy", {**cluster(vectors, task)}
        case ClassifyTask():
            metric, found = "pearson" if task.soft else "accuracy", {**classify(vectors, task)}
        case _:
            raise InputError(f"{type(task).__name__} is no task; allowed: StsTask, ClusterTask, ClassifyTask")
    return {"metric": metric, "score": found[metric], **found}
