"""Semantic textual similarity: does the cosine order pairs of texts as people did?"""

from __future__ import annotations

from collections import Counter
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from attar.errors import DataError
from attar.scores.correlation import bootstrap_spearman, pearson, spearman
from attar.scores.intervals import percentile_interval
from attar.scores.rows import Rows, check_length, check_scores, rows_of_task
from attar.shapers.cosine import paired_cosines
from attar.tasks.types import StsTask
from attar.types import Doubles

COSINE_DECIMALS = 12  # what is nearer is the same up to rounding, as the cosines of equal texts are


class StsScores(TypedDict):
    spearman: float  # over all pairs of all subsets together
    pearson: float
    low: float  # 95 % interval of spearman, over pairs
    high: float
    subsets: dict[str, float]  # spearman of each that has at least two pairs
    draws: tuple[float, ...]  # spearman on each bootstrap resample of pairs


def sts(vectors: npt.ArrayLike, task: StsTask, resamples: int = 1000, seed: int = 0) -> StsScores:
    """Correlations, from -1 to 1, of cosine similarities with the task's scores.

    The cosine with a zero vector is 0. Where all similarities (or all scores) are equal nothing is ranked, and the
    correlation is 0.

    Parameters
    ----------
    vectors : array of shape (2 N, D)
        All left sides of the N pairs, then all right ones, as `task.texts`.
    task : StsTask
        The pairs and their scores.
    resamples : int
        Bootstrap resamples of pairs, for the interval.
    seed : int
        Of the bootstrap.

    Returns
    -------
    StsScores
        A dict of "spearman" with its 95 % interval ("low", "high"), "pearson", and the Spearman correlation of each
        subset, and the Spearman correlation on each resample ("draws").

    Raises
    ------
    DataError
        If the task has fewer than two pairs, or scores that are not finite.
    InputError
        If the vectors do not fit the task, or are not finite.
    """
    n_pairs = len(task.left)
    if n_pairs < 2:
        raise DataError(f"{task.name} has {n_pairs} pairs; a correlation needs at least 2")
    check_length(task.name, "right sides", len(task.right), n_pairs)
    check_length(task.name, "scores", len(task.scores), n_pairs)
    check_scores(task.name, task.scores)
    rows = rows_of_task(vectors, task.name, 2 * n_pairs)
    return correlations(cosines(rows[:n_pairs], rows[n_pairs:]), task, resamples, seed)


def correlations(similarities: Doubles, task: StsTask, resamples: int = 1000, seed: int = 0) -> StsScores:
    """The same of similarities that are there already, however they were found. Shape: (N,)"""
    draws = bootstrap_spearman(similarities, task.scores, resamples, seed)
    low, high = percentile_interval(draws)
    return StsScores(
        spearman=spearman(similarities, task.scores),
        pearson=pearson(similarities, task.scores),
        low=low,
        high=high,
        subsets=_by_subset(similarities, task),
        draws=tuple(draws.tolist()),
    )


def cosines(left: Rows, right: Rows) -> Doubles:
    """Cosine of each pair of rows, 0 where one of them is zero. Shape: (N,)"""
    return np.round(paired_cosines(left, right), COSINE_DECIMALS)


def _by_subset(similarities: Doubles, task: StsTask) -> dict[str, float]:
    if not task.subsets:
        return {}
    check_length(task.name, "subset names", len(task.subsets), len(similarities))
    sizes = Counter(task.subsets)
    names = np.array(task.subsets) if max(sizes.values()) > 1 else np.empty(0)
    return {
        name: spearman(similarities[names == name], task.scores[names == name])
        for name, size in sizes.items()
        if size > 1  # one pair ranks nothing: such names are those of pairs, as in SICK
    }
