"""Near duplicates: pairs of texts closer than a threshold, and which texts to keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attar.errors import InputError
from attar.io.progress import Advance, nothing
from attar.jobs.nearest import Pairs, close_pairs, nearest_in, nearest_other
from attar.jobs.threshold import Advice, advise
from attar.shapers import Unit
from attar.types import Floats, Ints


@dataclass(frozen=True)
class Duplicates:
    """What was found among N texts, or between them and others.

    `pairs` are rows of the texts (left) and of the same texts, or of the others (right). `like` says for each text
    which text stands for it: itself if it is kept, else an earlier one that is kept (of the others: the nearest).
    """

    pairs: Pairs
    threshold: float
    advice: Advice | None  # None where the user gave the threshold
    kept: npt.NDArray[np.bool_]  # (N,)
    like: Ints  # (N,)

    def reasons(self, within: bool) -> npt.NDArray[np.bool_]:
        """Which pairs say why a text is dropped: one for each such text, with the text that stands for it. Shape: (P,)

        Where an equal text that came before is itself dropped, its pair with that text is the reason.
        """
        gone, by = (self.pairs.right, self.pairs.left) if within else (self.pairs.left, self.pairs.right)
        order = np.lexsort((np.arange(len(gone)), by != self.like[gone], gone))  # by text, its stand-in first
        order = order[~self.kept[gone[order]]]
        found = np.zeros(len(gone), dtype=bool)
        found[order[np.unique(gone[order], return_index=True)[1]]] = True
        return found

    def groups(self, within: bool) -> Ints:
        """The number of each pair's group: texts that pairs connect, the largest group first. Shape: (P,)"""
        return _components(self.pairs, len(self.kept), within)


def find_duplicates(
    texts: Sequence[str], vectors: Floats, threshold: float | None = None, advance: Advance = nothing
) -> Duplicates:
    """Near duplicates within one list of texts.

    Parameters
    ----------
    texts : N texts; equal ones are duplicates whatever the threshold
    vectors : (N, D), of any length
    threshold : the least cosine of a near duplicate; None: advised from the texts
    advance : hears how many rows were compared

    Returns
    -------
    Duplicates
        A text is dropped only where a text before it that is kept is this close, so chains of pairs do not run away.
    """
    once, rows = _first_rows(texts)
    units: Floats = Unit().transform(np.asarray(vectors, dtype=np.float32)[once])
    advice = None
    if threshold is None:
        advice = advise(nearest_other(units, advance))
        threshold = advice.threshold
    check_threshold(threshold)
    found = close_pairs(units, threshold, advance=advance)
    near = Pairs(once[found.left], once[found.right], found.cosines)
    like = _stand_ins(len(texts), near)[rows]
    return Duplicates(_with_equal_texts(near, once, rows), threshold, advice, like == np.arange(len(texts)), like)


def find_leaks(
    texts: Sequence[str],
    vectors: Floats,
    others: Sequence[str],
    other_vectors: Floats,
    threshold: float | None = None,
    advance: Advance = nothing,
) -> Duplicates:
    """Texts that also stand among the others, nearly or word for word: a train set's among a test set's.

    The parameters are those of `find_duplicates`. A text is kept where none of the others is this close or the same.
    """
    units, other_units = (Unit().transform(np.asarray(v, dtype=np.float32)) for v in (vectors, other_vectors))
    advice = None
    if threshold is None:
        distinct = _first_rows(texts)[0]
        advice = advise(nearest_in(units[distinct], other_units, advance))
        threshold = advice.threshold
    check_threshold(threshold)
    pairs = _with_same_texts(close_pairs(units, threshold, other_units, advance), texts, others)
    like = np.arange(len(texts))
    kept = np.ones(len(texts), dtype=bool)
    kept[pairs.left] = False
    like[pairs.left[::-1]] = pairs.right[::-1]  # the nearest is written last
    return Duplicates(pairs, threshold, advice, kept, like)


def _with_same_texts(pairs: Pairs, texts: Sequence[str], others: Sequence[str]) -> Pairs:
    """Before all others, each text with the first of the others that is the same word for word, if no pair has it."""
    first: dict[str, int] = {}
    for j, text in enumerate(others):
        first.setdefault(text, j)
    known = set(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    same = [(i, first[text]) for i, text in enumerate(texts) if text in first and (i, first[text]) not in known]
    left, right = np.array(same, dtype=np.int64).reshape(-1, 2).T
    return Pairs(
        np.concatenate([left, pairs.left]),
        np.concatenate([right, pairs.right]),
        np.concatenate([np.ones(len(same), dtype=np.float32), pairs.cosines]),
    )


def _components(pairs: Pairs, n_left: int, within: bool) -> Ints:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    right = pairs.right if within else pairs.right + n_left
    n = int(max(n_left, right.max(initial=-1) + 1))
    graph = coo_array((np.ones(len(pairs), dtype=np.int8), (pairs.left, right)), shape=(n, n))
    labels = connected_components(graph, directed=False)[1]
    sizes = np.bincount(labels, minlength=n)
    used = np.unique(labels[pairs.left])
    number = np.empty(n, dtype=np.int64)
    number[used[np.lexsort((used, -sizes[used]))]] = np.arange(len(used))
    found: Ints = number[labels[pairs.left]]
    return found


def _first_rows(texts: Sequence[str]) -> tuple[Ints, Ints]:
    """Rows of distinct texts, and for each text the first row of the same text. Shapes: (distinct,), (N,)"""
    first: dict[str, int] = {}
    rows = np.fromiter((first.setdefault(text, i) for i, text in enumerate(texts)), dtype=np.int64, count=len(texts))
    return np.fromiter(first.values(), dtype=np.int64, count=len(first)), rows


def _with_equal_texts(pairs: Pairs, once: Ints, rows: Ints) -> Pairs:
    """Each text that came before word for word is paired with its first row, before all others."""
    again = np.setdiff1d(np.arange(len(rows)), once)
    return Pairs(
        np.concatenate([rows[again], pairs.left]),
        np.concatenate([again, pairs.right]),
        np.concatenate([np.ones(len(again), dtype=np.float32), pairs.cosines]),
    )


def _stand_ins(n: int, pairs: Pairs) -> Ints:
    """Texts in order: one is dropped if an earlier one that is kept is near, and the nearest such stands for it."""
    like = np.arange(n)
    order = np.lexsort((-pairs.cosines, pairs.right))  # by the later text, its nearest first
    for left, right in zip(pairs.left[order].tolist(), pairs.right[order].tolist(), strict=True):
        if like[right] == right and like[left] == left:
            like[right] = left
    return like


def check_threshold(threshold: float) -> None:
    """Refuses what is no cosine."""
    if not -1 < threshold <= 1:
        raise InputError(f"the threshold {threshold!r} is no cosine that tells duplicates; give one above -1, up to 1")
