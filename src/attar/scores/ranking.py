"""EvalRank (Wang et al., 2022): how high does the partner of an equal text stand among all texts?

STS asks whether all pairs are ordered as people order them; search asks only whether the nearest are the right ones.
"""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import numpy.typing as npt

from attar.errors import DataError
from attar.scores.correlation import bootstrap_mean
from attar.scores.intervals import percentile_interval
from attar.scores.rows import check_length, check_scores, rows_of_task
from attar.shapers.cosine import cosines
from attar.tasks.types import StsTask
from attar.types import Doubles, Ints

LEAST = 4.0  # of scores from 0 to 5: pairs above it mean the same
QUERIES_AT_ONCE = 1024


class RankScores(TypedDict):
    mrr: float  # mean of 1 / rank
    low: float  # 95 % interval of mrr, over queries
    high: float
    hits_1: float  # share of queries whose partner stands first
    hits_3: float  # among the first three
    queries: int
    candidates: int
    draws: tuple[float, ...]  # mrr on each bootstrap resample of queries


def rank(
    vectors: npt.ArrayLike, task: StsTask, least: float = LEAST, resamples: int = 1000, seed: int = 0
) -> RankScores:
    """Rank all distinct texts of the task by their cosine with each side of each equal pair.

    A text is never its own candidate; texts that are as near as the partner stand before it.

    Parameters
    ----------
    vectors : array of shape (2 N, D)
        All left sides of the N pairs, then all right ones, as `task.texts`.
    task : StsTask
        The pairs and their scores.
    least : float
        Pairs with a greater score, of two different texts, mean the same.
    resamples : int
        Bootstrap resamples of queries, for the interval.
    seed : int
        Of the bootstrap.

    Returns
    -------
    RankScores
        A dict of the mean reciprocal rank ("mrr") with its 95 % interval, the shares of partners among the first one
        and three, and the numbers of queries and candidates. Scores are from 0 to 1.

    Raises
    ------
    DataError
        If no pair of different texts has such a score.
    InputError
        If the vectors do not fit the task, or are not finite.
    """
    n_pairs = len(task.left)
    check_length(task.name, "right sides", len(task.right), n_pairs)
    check_length(task.name, "scores", len(task.scores), n_pairs)
    check_scores(task.name, task.scores)
    rows = rows_of_task(vectors, task.name, 2 * n_pairs)
    _, first, text_of = np.unique(np.array(task.texts, dtype=object), return_index=True, return_inverse=True)
    equal = np.flatnonzero((task.scores > least) & (text_of[:n_pairs] != text_of[n_pairs:]))
    if not len(equal):
        raise DataError(f"no pair of two texts of {task.name} has a score above {least:g}; pass a lower least=")
    sides = np.stack([text_of[equal], text_of[equal + n_pairs]])
    queries, partners = np.unique(np.concatenate([sides, sides[::-1]], axis=1), axis=1)
    ranks = _ranks(rows[first], queries, partners)
    found = 1 / ranks
    draws = bootstrap_mean(found, resamples, seed)
    low, high = percentile_interval(draws)
    return RankScores(
        mrr=float(found.mean()),
        low=low,
        high=high,
        hits_1=float((ranks <= 1).mean()),
        hits_3=float((ranks <= 3).mean()),
        queries=len(ranks),
        candidates=len(first) - 1,
        draws=tuple(draws.tolist()),
    )


def _ranks(texts: npt.NDArray[np.floating], queries: Ints, partners: Ints) -> Doubles:
    """The place of each partner among all texts but the query, from 1. Shape: (C, D), (Q,), (Q,) -> (Q,)"""
    found = np.empty(len(queries))
    for start in range(0, len(queries), QUERIES_AT_ONCE):
        part = slice(start, start + QUERIES_AT_ONCE)
        near = cosines(texts[queries[part]], texts)  # (q, C)
        places = np.arange(len(near))
        near[places, queries[part]] = -np.inf
        found[part] = (near >= near[places, partners[part]][:, None]).sum(axis=1)
    return found
