"""Groups of texts: k-means on vectors of unit length, each group with a name and its most central texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attar.errors import InputError
from attar.io.plural import number_of
from attar.io.progress import Advance, nothing
from attar.jobs.components import components
from attar.jobs.naming import telling_words
from attar.scores.solvers.kmeans import kmeans
from attar.shapers import Unit
from attar.types import Floats, Ints

STARTS = 5  # initialisations of k-means
SAMPLE = 5_000  # texts that the number of groups is looked for with
MOST_GROUPS = 100  # that are looked for where none is given
A_LITTLE = 0.02  # of the silhouette, by which more groups may part worse
TEXTS_PER_GROUP = 10  # in a half of the sample, on average at least
CENTRAL = 3
LETTERS = 40  # of a text that stands in for a name


@dataclass(frozen=True)
class Group:
    """One group."""

    number: int
    size: int
    words: list[str]  # the most telling first
    central: Ints  # rows of the texts nearest to its centre
    text: str = ""  # the most central one, which stands in where no word tells the group

    @property
    def name(self) -> str:
        return ", ".join(self.words[:3]) or " ".join(self.text.split())[:LETTERS] or f"group {self.number}"


@dataclass(frozen=True)
class Groups:
    """All groups, the largest first, and each text's group and its cosine with that group's centre."""

    groups: list[Group]
    labels: Ints  # (N,)
    cosines: Floats  # (N,)
    tried: dict[int, float]  # numbers of groups that were looked at, and how well they part; empty if k was given


def find_groups(
    texts: Sequence[str], vectors: Floats, k: int | None = None, seed: int = 0, advance: Advance = nothing
) -> Groups:
    """Sort texts into groups.

    Parameters
    ----------
    texts : N texts
    vectors : (N, D), of any length
    k : how many groups; None: the number whose groups part best, by the simplified silhouette of held-out texts
        in the space of their principal components
    seed : the same seed gives the same groups
    advance : hears of each number of groups that was tried

    Raises
    ------
    InputError : fewer than 3 texts, or k below 1 or above the number of distinct vectors
    """
    units: Floats = Unit().transform(np.asarray(vectors, dtype=np.float32))
    _check(units, k)
    tried = {} if k is not None else _part_well(units, seed, advance)
    k = k if k is not None else best_number(tried)
    found = kmeans(units, k, STARTS, seed)
    labels, centers = _largest_first(found.labels, found.centers)
    cosines = np.einsum("nd,nd->n", units, centers[labels])
    return Groups(_described(texts, labels, cosines, len(centers)), labels, cosines.astype(np.float32), tried)


def check_number(k: int | None, n_texts: int) -> None:
    """Refuses what can be refused before anything is embedded."""
    if n_texts < 3:
        raise InputError(f"{number_of(n_texts, 'text')} can't be sorted into groups; give at least 3")
    if k is not None and not 1 <= k <= n_texts:
        raise InputError(f"{k} groups were asked for; there are {n_texts} texts: give 1 to {n_texts}")


def _check(units: Floats, k: int | None) -> None:
    check_number(k, len(units))
    if k is not None:
        distinct = len(np.unique(units, axis=0)) if k > 1 else 1
        if not 1 <= k <= distinct:
            raise InputError(f"{k} groups were asked for; there are {distinct} distinct vectors: give 1 to {distinct}")


def _part_well(units: Floats, seed: int, advance: Advance) -> dict[int, float]:
    """How well groups part, for several numbers of them: each half of a sample by the centres of the other half.

    By its own centres, ever more and ever smaller groups would part ever better. Principal components are looked at,
    since in all dims, most of which tell no group from another, many small groups look as if they did not part.
    """
    distinct = np.unique(units[np.random.default_rng(seed).permutation(len(units))[:SAMPLE]], axis=0)
    shuffled = np.random.default_rng(seed).permutation(len(distinct))
    halves = np.array_split(components(distinct)[shuffled], 2)
    found = {}
    for k in _numbers(min(map(len, halves))):
        centers = [kmeans(half, k, 2, seed).centers for half in halves]
        found[k] = (silhouette(halves[0], centers[1]) + silhouette(halves[1], centers[0])) / 2
        advance(1)
    return found or {1: 0.0}


def best_number(tried: Mapping[int, float]) -> int:
    """The greatest number of groups that part as well as any does, but for a little: groups too many can be joined."""
    best = max(tried.values())
    return max(k for k, parted in tried.items() if parted >= best - A_LITTLE * abs(best))


def _numbers(n_texts: int) -> Iterator[int]:
    """Numbers of groups to look at, for so many texts in a half: each about a fifth more than the one before."""
    k = 2
    while k <= min(max(n_texts / TEXTS_PER_GROUP, n_texts**0.5), MOST_GROUPS):
        yield k
        k = max(k + 1, round(k * 1.2))


def silhouette(points: Floats, centers: Floats) -> float:
    """The mean of (b - a) / b: a is the distance to the nearest centre, b to the second. Shape: (N, D), (K, D)"""
    squares = np.einsum("nd,nd->n", points, points)[:, None] + np.einsum("kd,kd->k", centers, centers)
    nearest = np.partition(squares - 2 * points @ centers.T, 1, axis=1)[:, :2]
    a, b = np.sqrt(np.maximum(nearest, 0)).T
    return float(np.mean((b - a) / np.maximum(b, 1e-12)))


def _unit(centers: Floats) -> Floats:
    made: Floats = Unit().transform(centers)
    return made


def _largest_first(labels: npt.NDArray[np.int32], centers: Floats) -> tuple[Ints, Floats]:
    sizes = np.bincount(labels, minlength=len(centers))
    order = np.lexsort((np.arange(len(sizes)), -sizes))
    order = order[sizes[order] > 0]
    place = np.empty(len(centers), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[labels], _unit(centers[order])


def _described(texts: Sequence[str], labels: Ints, cosines: Floats, k: int) -> list[Group]:
    words = telling_words(texts, labels, k)
    found = []
    for number in range(k):
        rows = np.flatnonzero(labels == number)
        central = rows[np.argsort(-cosines[rows], kind="stable")]
        distinct = list({texts[i]: i for i in reversed(central.tolist())}.values())[::-1][:CENTRAL]
        found.append(Group(number, len(rows), words[number], np.array(distinct, dtype=np.int64), texts[distinct[0]]))
    return found
