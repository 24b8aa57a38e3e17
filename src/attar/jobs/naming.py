"""Names of groups: the whole words that tell a group from the others, by class-wise idf."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from attar.jobs.function_words import is_function_word
from attar.tokens.words import words_of
from attar.types import Doubles, Ints


def telling_words(texts: Sequence[str], labels: Ints, n_groups: int, most: int = 8, least: int = 2) -> list[list[str]]:
    """For each group its most telling words.

    A word's score in a group is the share of the group's texts that have it, less the share of all texts, times
    ln(1 + A / f): f is the sum of its shares over all groups and A their mean sum. This is class-wise tf-idf, but of
    texts instead of occurrences, so that groups of different size and texts of different length count alike, and of
    the excess, so that words which are everywhere are in no name. English words that only join others ("not", "how")
    come after all others: a group that is told by nothing else is still named by them.

    Parameters
    ----------
    texts, labels : N texts and their groups; a label below 0 is no group
    n_groups : how many groups there are
    most : words for each
    least : texts of a group that must have a word
    """
    vocabulary, counts = _counts(texts, labels, n_groups)
    sizes = np.bincount(labels[labels >= 0], minlength=n_groups)
    shares = counts / np.maximum(sizes, 1)[:, None]  # (groups, words)
    overall = counts.sum(axis=0) / max(int(sizes.sum()), 1)
    scores = shares if n_groups == 1 else (shares - overall) * _idf(shares)
    scores = np.where(counts < np.minimum(least, sizes)[:, None], 0, scores)
    empty = np.array([is_function_word(word) for word in vocabulary], dtype=bool)
    return [_top(row, empty, vocabulary, most) for row in scores]


def _counts(texts: Sequence[str], labels: Ints, n_groups: int) -> tuple[list[str], Doubles]:
    """The words, and in how many texts of each group they are. Shape: (groups, words)"""
    by_group: list[Counter[str]] = [Counter() for _ in range(n_groups)]
    for text, label in zip(texts, labels.tolist(), strict=True):
        if label >= 0:
            by_group[label].update(words_of(text))
    vocabulary = sorted(set().union(*by_group)) if by_group else []
    place = {word: i for i, word in enumerate(vocabulary)}
    counts = np.zeros((n_groups, len(vocabulary)))
    for group, found in enumerate(by_group):
        for word, n in found.items():
            counts[group, place[word]] = n
    return vocabulary, counts


def _idf(shares: Doubles) -> Doubles:
    """ln(1 + A / f) of each word. Shape: (groups, words) to (words,)"""
    sums = shares.sum(axis=0)
    idf: Doubles = np.log1p(float(sums.sum()) / len(shares) / np.maximum(sums, 1e-12))
    return idf


def _top(scores: Doubles, empty: npt.NDArray[np.bool_], vocabulary: Sequence[str], most: int) -> list[str]:
    """The words of highest score, those that name something first."""
    order = np.lexsort((np.arange(len(scores)), -scores, empty, scores <= 0))[:most]
    return [vocabulary[i] for i in order if scores[i] > 0]
