"""What candidates are worth for groups: how they group the user's own texts and the texts of the trials.

Four judges, each in points of 100: how well the groups foretell the words of the texts (`SharedWords`), how far they
are the groups that the other candidates find, and how much of the groups of the package's own texts is found, of many
topics and of few. None is right about all texts and models, but they are wrong in different places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attar.choosing.probe import TIE
from attar.choosing.trials import KINDS, kind_means, read_trials
from attar.choosing.words import SharedWords
from attar.scores.solvers.kmeans import kmeans
from attar.types import Doubles, Floats, Ints

NUMBERS = (2, 4, 8, 16, 32)  # of groups that are tried, as long as there are enough texts
TEXTS_IN_GROUP = 4  # on average, at least
STARTS = 3  # of k-means
MOST_TEXTS = 1000  # that are grouped
LEAST_WORDS = 4.0  # that a text shares with others, on average: with fewer, words tell nothing
_LEAST_GAIN = 1e-3  # nats, of the best candidate: what no candidate foretells does not count


@dataclass(frozen=True)
class GroupEvidence:
    """What is known of R candidates as makers of groups; the first one is kept where none is sure to be better."""

    common: Doubles  # (R, R) mean normalised mutual information of their groups
    words: Doubles  # (R, N) how well groups foretell the words of each text, 100: as the best candidate on average
    trials: Doubles  # (R, T) scores in the trials
    words_per_text: float

    @property
    def signals(self) -> dict[str, Doubles]:
        """The judges, in points. Shape of each: (R,)"""
        return {
            "words": self.words.mean(axis=1),
            "groups": 100 * self.common.mean(axis=1),
            "trials": kind_means(self.trials).mean(axis=1),
        }

    @property
    def merit(self) -> Doubles:
        """The mean of the four judges. Shape: (R,)"""
        parts = [self.words.mean(axis=1), 100 * self.common.mean(axis=1), *kind_means(self.trials).T]
        return np.asarray(np.mean(parts, axis=0))

    @cached_property
    def chances_better(self) -> Doubles:
        """In what share of resamples of texts and trials the merit of each candidate is above that of the first.

        As good counts one half; 0 where the texts share too few words to judge by. Shape: (R,)
        """
        if self.words_per_text < LEAST_WORDS:
            return np.zeros(len(self.words))
        rng = np.random.default_rng(0)
        kinds = np.array([trial.kind for trial in read_trials()])
        leads = _resampled(self.words - self.words[0], rng)
        leads += 100 * (self.common - self.common[0]).mean(axis=1)[:, None]
        for kind in range(len(KINDS)):
            leads += _resampled((self.trials - self.trials[0])[:, kinds == kind], rng)
        chances: Doubles = ((leads > TIE).mean(axis=1) + (leads >= -TIE).mean(axis=1)) / 2
        return chances


def _resampled(values: Doubles, rng: np.random.Generator, resamples: int = 500) -> Doubles:
    """Means over resamples of the columns. Shape: (R, N) -> (R, resamples)"""
    n = values.shape[1]
    times = np.stack([np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(resamples)])
    means: Doubles = values @ times.T / n
    return means


def group_texts(units: Floats) -> Ints:
    """The groups of the first texts by k-means, for each number of groups that is tried. Shape: (N, D) -> (K, n)"""
    some = units[:MOST_TEXTS]
    tried = [n for n in NUMBERS if n * TEXTS_IN_GROUP <= len(some)]
    return np.stack([kmeans(some, n, STARTS).labels for n in tried])


def gather_groups(texts: Sequence[str], groups: Sequence[Ints], trials: Sequence[Doubles]) -> GroupEvidence:
    """Judge the groups that R candidates found.

    Parameters
    ----------
    texts : sequence of str
        The texts that were grouped, or more.
    groups : R arrays of shape (K, N)
        What `group_texts` found.
    trials : R arrays of shape (T,)
        Scores in the trials.
    """
    found = np.array(groups)
    shared = SharedWords.of(texts[: found.shape[2]])
    gains = np.array([[shared.gains(labels) for labels in each] for each in found])  # (R, K, N)
    best = np.maximum(gains.mean(axis=2).max(axis=0), _LEAST_GAIN)
    words = 100 * (gains / best[:, None]).mean(axis=1)
    return GroupEvidence(common_groups(found), words, np.array(trials), shared.per_text)


def common_groups(groups: Ints) -> Doubles:
    """Normalised mutual information of each two groupings, averaged over the numbers of groups.

    Shape: (R, K, N) -> (R, R)
    """
    total: Doubles = np.zeros((len(groups), len(groups)))
    for labels in groups.transpose(1, 0, 2):  # (R, N)
        n_rows, n_texts = labels.shape
        marks = (labels[:, None, :] == np.arange(labels.max() + 1)[None, :, None]).astype(np.float32)  # (R, k, N)
        alone = _entropies(marks.sum(axis=2) / n_texts)
        for r, own in enumerate(marks):
            counts = np.tensordot(marks, own, (2, 1)).reshape(n_rows, -1)  # texts in each two groups
            entropies = alone + alone[r]
            shared = entropies - _entropies(counts / n_texts)
            total[r] += np.where(entropies > 0, 2 * shared / np.where(entropies > 0, entropies, 1), 1)
    total /= groups.shape[1]
    return total


def _entropies(shares: Doubles) -> Doubles:
    """Of each row, in nats. Shape: (R, n) -> (R,)"""
    found: Doubles = -(shares * np.log(np.where(shares > 0, shares, 1))).sum(axis=1)
    return found
