"""Short text clustering: k-means on the vectors, against the hidden labels."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import numpy.typing as npt

from attar.errors import DataError, InputError
from attar.scores.agreement import adjusted_rand_index, matched, normalized_mutual_information, shared_counts
from attar.scores.correlation import bootstrap_mean
from attar.scores.intervals import student_interval
from attar.scores.rows import check_length, rows_of_task
from attar.scores.solvers.kmeans import kmeans
from attar.tasks.types import ClusterTask


class ClusterScores(TypedDict):
    """Means over the runs."""

    accuracy: float  # each cluster matched to one class (Hungarian algorithm)
    accuracy_sd: float  # between runs
    low: float  # 95 % interval of the mean accuracy, over runs
    high: float
    nmi: float
    ari: float
    inertia: float
    draws: tuple[float, ...]  # accuracy on each bootstrap resample of texts, the clusters as they are


def cluster(
    vectors: npt.ArrayLike, task: ClusterTask, runs: int = 10, n_init: int = 10, seed: int = 0, resamples: int = 1000
) -> ClusterScores:
    """Run k-means `runs` times, with as many clusters as there are classes, and compare clusters with classes.

    Parameters
    ----------
    vectors : array of shape (N, D)
        One row per text of the task.
    task : ClusterTask
        Texts and their hidden labels.
    runs : int
        Runs of k-means, of which means are taken.
    n_init : int
        Starts in each run, of which the one of lowest inertia counts.
    seed : int
        The same seed gives the same clusters.
    resamples : int
        Bootstrap resamples of texts, for comparisons.

    Returns
    -------
    ClusterScores
        A dict of the matched accuracy, its 95 % interval over runs ("low", "high") and standard deviation, NMI, ARI,
        inertia, and the accuracy on each resample of texts ("draws").

    Raises
    ------
    InputError
        If the vectors do not fit the task or are not finite, or `runs` or `n_init` is below 1.
    DataError
        If the task has fewer than two classes, fewer texts than classes, or labels out of range.
    """
    check_length(task.name, "labels", len(task.labels), len(task.texts))
    rows = rows_of_task(vectors, task.name, len(task.texts))
    if runs < 1 or n_init < 1:
        raise InputError(f"runs={runs}, n_init={n_init}: both must be at least 1")
    k = len(task.classes)
    if k < 2 or len(np.unique(task.labels)) < 2:
        raise DataError(f"{task.name} has texts of 1 class alone; clustering is scored on 2 or more")
    if k > len(rows):
        raise DataError(f"{task.name} has {k} classes and {len(rows)} texts; k-means needs a text for each cluster")
    if not 0 <= task.labels.min() <= task.labels.max() < k:
        wrong = task.labels[(task.labels < 0) | (task.labels >= k)][0]
        raise DataError(f"{task.name} has the label {wrong}; with {k} classes labels go from 0 to {k - 1}")
    accuracies, shared, adjusted, inertias = [], [], [], []
    right = np.zeros(len(rows))  # the share of runs in which each text is right
    for run_seed in np.random.SeedSequence(seed).spawn(runs):
        found = kmeans(rows, k, n_init, run_seed)
        counts = shared_counts(task.labels, found.labels)
        correct = matched(counts)[task.labels, found.labels]
        right += correct / runs
        accuracies.append(correct.mean())
        shared.append(normalized_mutual_information(counts))
        adjusted.append(adjusted_rand_index(counts))
        inertias.append(found.inertia)
    low, high = student_interval(np.array(accuracies))
    return ClusterScores(
        accuracy=float(np.mean(accuracies)),
        accuracy_sd=float(np.std(accuracies, ddof=1)) if runs > 1 else 0.0,
        low=max(0.0, low),
        high=min(1.0, high),
        nmi=float(np.mean(shared)),
        ari=float(np.mean(adjusted)),
        inertia=float(np.mean(inertias)),
        draws=tuple(bootstrap_mean(right, resamples, 0).tolist()),
    )
