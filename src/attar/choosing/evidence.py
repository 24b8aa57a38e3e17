"""SignalEvidence: the signals of all candidates on some texts, and how far candidates agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from attar.choosing.candidates import Candidate
from attar.choosing.grouping import GroupEvidence, gather_groups, group_texts
from attar.choosing.neighbours import cosine_matrix, overlaps
from attar.choosing.passes import Units
from attar.choosing.probe import read_probe
from attar.choosing.signals import SIGNALS, neighbour_list
from attar.choosing.topics import read_topics
from attar.choosing.trials import trial_scores
from attar.errors import InputError
from attar.io.plural import number_of
from attar.types import Doubles, Floats, Ints

TEXTS, PROBE, TOPICS = "texts", "probe", "topics"
VOTERS = 500  # texts on which neighbours are compared
LEAST_TEXTS = 20
CLEAR = 2.0  # points of the probe: what leads by less may be worse elsewhere


@dataclass(frozen=True)
class Grouped:
    """What it takes to judge candidates by groups: the texts, and how a candidate is tried."""

    texts: Sequence[str]
    tried: Callable[[Units], Doubles]  # scores of a candidate in the trials; usually `try_candidate`


@dataclass(frozen=True)
class SignalEvidence:
    """What is known of R candidates; first comes the one that is kept where none is sure to be better."""

    candidates: tuple[Candidate, ...]
    signals: Mapping[str, Doubles]  # name: (R,)
    agreement: (
        Doubles  # (R, R) share of common neighbours, or how far their groups are the same where groups are wanted
    )
    neighbours: Ints  # (R, V, k) of the first V texts
    probe_cosines: Doubles  # (R, P)
    topic_scores: Doubles  # (R, T)
    pairs: Ints  # (M, 2) texts that can be asked about
    cosines: Floats  # (R, M)
    groups: GroupEvidence | None = None  # only where groups are wanted

    @cached_property
    def better_on_probe(self) -> Doubles:
        """The chance that each candidate is clearly better than the first one on the probe. Shape: (R,)"""
        return read_probe().chances_better(self.probe_cosines, 0, CLEAR)

    @cached_property
    def better_on_topics(self) -> Doubles:
        """The chance that each candidate keeps topics together better than the first one does. Shape: (R,)"""
        return read_topics().chances_better(self.topic_scores, 0)

    @property
    def usable(self) -> npt.NDArray[np.bool_]:
        """Which candidates give vectors that differ between texts. Shape: (R,)"""
        return np.isfinite(self.signals["contrast"])


def gather(each: Iterable[Units], pairs: Ints | None = None, grouped: Grouped | None = None) -> SignalEvidence:
    """Take the signals of every candidate as its vectors come by.

    Parameters
    ----------
    each : iterable of Units
        The vectors of every candidate in turn: of the texts, of the probe and of the topics.
    pairs : array of shape (M, 2), optional
        The pairs of texts that can be asked about; all pairs of the first texts if not given.
    grouped : Grouped, optional
        The texts, and how candidates are tried, where the vectors are for groups.

    Raises
    ------
    InputError
        If there are too few texts to compare neighbours, or no vectors that differ.
    """
    found: list[Candidate] = []
    lists, asked, graded, sorted_, signals, parts, trials = [], [], [], [], [], [], []
    for units in each:
        vectors = units.of[TEXTS]
        n = min(VOTERS, len(vectors))
        if n < LEAST_TEXTS:
            raise InputError(f"too few to choose by: {number_of(n, 'distinct text')}; give {LEAST_TEXTS} or more")
        pairs = np.stack(np.triu_indices(n, 1), axis=1) if pairs is None else pairs
        between = cosine_matrix(vectors[:n])
        found.append(units.candidate)
        lists.append(neighbour_list(between))
        graded.append(read_probe().cosines(units.of[PROBE]))
        sorted_.append(read_topics().scores(units.of[TOPICS]))
        asked.append(between[pairs[:, 0], pairs[:, 1]] if pairs.max() < n else _cosines(vectors, pairs))
        signals.append([measure(between) for measure in SIGNALS.values()])
        if grouped is not None:
            parts.append(group_texts(vectors))
            trials.append(grouped.tried(units))
    by_name = {name: np.array([row[i] for row in signals]) for i, name in enumerate(SIGNALS)}
    if not np.isfinite(by_name["contrast"]).any() or pairs is None:
        raise InputError("all texts get the same vector under every recipe; give texts that differ")
    agreement = overlaps(lists, n)
    by_name["votes"] = agreement.mean(axis=1)
    by_name["probe"] = np.array([read_probe().score(row) for row in graded])
    by_name["topics"] = 100 * np.mean(sorted_, axis=1)
    groups = None if grouped is None else gather_groups(grouped.texts, parts, trials)
    if groups is not None:
        by_name |= groups.signals
        agreement = groups.common
    return SignalEvidence(
        tuple(found),
        by_name,
        agreement,
        np.array(lists),
        np.array(graded),
        np.array(sorted_),
        pairs,
        np.array(asked),
        groups,
    )


def try_candidate(units: Units) -> Doubles:
    """Its scores in the trials of grouping, its shaper fitted in each of them anew. Shape: (T,)"""
    return trial_scores(partial(units.of_some, TOPICS))


def corpora(texts: Sequence[str]) -> dict[str, Sequence[str]]:
    """What goes through the model."""
    return {TEXTS: texts, PROBE: read_probe().texts, TOPICS: read_topics().texts}


def _cosines(units: Floats, pairs: Ints) -> Floats:
    found: Floats = np.einsum("md,md->m", units[pairs[:, 0]], units[pairs[:, 1]])
    return found
