"""SignalEvidence: the signals of all candidates on some texts, and how far candidates agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from attar.choosing.candidates import Candidate
from attar.choosing.neighbours import cosine_matrix, overlaps
from attar.choosing.passes import Units
from attar.choosing.probe import Probe
from attar.choosing.signals import SIGNALS, neighbour_list
from attar.errors import InputError
from attar.types import Doubles, Floats, Ints

VOTERS = 500  # texts on which neighbours are compared
LEAST_TEXTS = 20


@dataclass(frozen=True)
class SignalEvidence:
    """What is known of R candidates; the plain one comes first."""

    candidates: tuple[Candidate, ...]
    signals: Mapping[str, Doubles]  # name: (R,)
    agreement: Doubles  # (R, R) share of common neighbours
    neighbours: Ints  # (R, V, k) of the first V texts
    probe_cosines: Doubles  # (R, P)
    probe: Probe
    pairs: Ints  # (M, 2) texts that can be asked about
    cosines: Floats  # (R, M)

    @cached_property
    def better_on_probe(self) -> Doubles:
        """The chance that each candidate follows the probe better than the plain one does. Shape: (R,)"""
        return self.probe.chances_better(self.probe_cosines, 0)

    @property
    def usable(self) -> npt.NDArray[np.bool_]:
        """Which candidates give vectors that differ between texts. Shape: (R,)"""
        return np.isfinite(self.signals["contrast"])


def gather(each: Iterable[Units], probe: Probe, pairs: Ints | None = None) -> SignalEvidence:
    """Take the signals of every candidate as its vectors come by.

    Parameters
    ----------
    each : iterable of Units
        The vectors of every candidate in turn.
    probe : Probe
        The graded pairs whose vectors they hold.
    pairs : array of shape (M, 2), optional
        The pairs of texts that can be asked about; all pairs of the first texts if not given.

    Raises
    ------
    InputError
        If there are too few texts to compare neighbours, or no vectors that differ.
    """
    found: list[Candidate] = []
    lists, asked, graded, signals = [], [], [], []
    for units in each:
        n = min(VOTERS, len(units.texts))
        if n < LEAST_TEXTS:
            raise InputError(f"{n} distinct texts are too few to choose by; give at least {LEAST_TEXTS}")
        pairs = np.stack(np.triu_indices(n, 1), axis=1) if pairs is None else pairs
        between = cosine_matrix(units.texts[:n])
        found.append(units.candidate)
        lists.append(neighbour_list(between))
        graded.append(probe.cosines(units.probe))
        asked.append(_cosines(units.texts, pairs))
        signals.append([measure(units, between, probe) for measure in SIGNALS.values()])
    by_name = {name: np.array([row[i] for row in signals]) for i, name in enumerate(SIGNALS)}
    if not np.isfinite(by_name["contrast"]).any() or pairs is None:
        raise InputError("all texts get the same vector under every recipe; give texts that differ")
    agreement = overlaps(lists, n)
    by_name["votes"] = agreement.mean(axis=1)
    return SignalEvidence(
        tuple(found), by_name, agreement, np.array(lists), np.array(graded), probe, pairs, np.array(asked)
    )


def _cosines(units: Floats, pairs: Ints) -> Floats:
    found: Floats = np.einsum("md,md->m", units[pairs[:, 0]], units[pairs[:, 1]])
    return found
