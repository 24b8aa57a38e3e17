"""Trials: small groupings of the package's own texts, whose groups are known. What k-means finds of them tells what a
recipe keeps of groups of several kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from attar.choosing.topics import read_topics
from attar.scores.agreement import matched_accuracy, shared_counts
from attar.scores.solvers.kmeans import kmeans
from attar.types import Doubles, Floats, Ints

KINDS = ("many topics", "few topics")
STARTS = 3  # of k-means
_FEW = 3  # topics
_DRAWS = 2  # of few topics, in each genre


@dataclass(frozen=True)
class Trial:
    """Some of the texts on topics, and their groups."""

    kind: int  # place in KINDS
    rows: Ints  # (n,)
    groups: Ints  # (n,) from 0 on


def trial_scores(vectors_of: Callable[[Ints], Floats]) -> Doubles:
    """The accuracy of k-means in every trial, x 100; vectors are asked for by rows of the topics. Shape: (T,)"""
    found = []
    for trial in read_trials():
        labels = kmeans(vectors_of(trial.rows), int(trial.groups.max()) + 1, STARTS).labels
        found.append(100 * matched_accuracy(shared_counts(trial.groups, labels)))
    return np.array(found)


def kind_means(scores: Doubles) -> Doubles:
    """The mean score in each kind of trial. Shape: (R, T) -> (R, kinds)"""
    kinds = np.array([trial.kind for trial in read_trials()])
    return np.stack([scores[:, kinds == kind].mean(axis=1) for kind in range(len(KINDS))], axis=1)


@cache
def read_trials() -> tuple[Trial, ...]:
    """All topics of each genre, and few topics of each genre; the same ones every time."""
    topics, rng = read_topics(), np.random.default_rng(0)
    by_genre = [np.flatnonzero(topics.genres == genre) for genre in range(int(topics.genres.max()) + 1)]
    made = [_trial(0, rows, topics.topics) for rows in by_genre]
    for rows in by_genre:
        for _ in range(_DRAWS):
            drawn = rng.choice(np.unique(topics.topics[rows]), _FEW, replace=False)
            made.append(_trial(1, rows[np.isin(topics.topics[rows], drawn)], topics.topics))
    return tuple(made)


def _trial(kind: int, rows: Ints, groups: Ints) -> Trial:
    return Trial(kind, rows, np.unique(groups[rows], return_inverse=True)[1])
