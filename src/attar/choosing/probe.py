"""The probe: pairs of sentences written for this package, graded by how close they are in meaning (0 to 5)."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from attar.scores.correlation import spearman
from attar.types import Doubles, Floats, Ints

_SIDES = 4  # an anchor and three sentences graded against it
_AWAY = 17  # anchors so many groups apart have nothing to do with each other


@dataclass(frozen=True)
class Probe:
    """Texts in groups of four, and graded pairs of them."""

    texts: tuple[str, ...]
    pairs: Ints  # (P, 2) rows of `texts`
    grades: Doubles  # (P,)
    groups: Ints  # (P,) whose anchor the pair has

    def cosines(self, units: Floats) -> Doubles:
        """Of every pair. Shape: (N, D) of length 1 -> (P,)"""
        left, right = units[self.pairs[:, 0]], units[self.pairs[:, 1]]
        found: Doubles = np.einsum("pd,pd->p", left, right, dtype=np.float64)
        return found

    def score(self, cosines: Doubles) -> float:
        """Spearman's correlation with the grades, x 100."""
        return 100 * spearman(cosines, self.grades)

    def chance_better(self, one: Doubles, other: Doubles, resamples: int = 500) -> float:
        """In what share of resamples of groups the cosines `one` follow the grades better than `other`."""
        rng = np.random.default_rng(0)
        n = int(self.groups.max()) + 1
        members = [np.flatnonzero(self.groups == g) for g in range(n)]
        drawn = (np.concatenate([members[g] for g in rng.integers(0, n, n)]) for _ in range(resamples))
        wins = [spearman(one[i], self.grades[i]) > spearman(other[i], self.grades[i]) for i in drawn]
        return float(np.mean(wins))


@cache
def read_probe() -> Probe:
    """The probe of the package."""
    table = files("attar").joinpath("resources/probe.tsv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE))
    texts = [row[name] for row in rows for name in ("anchor", "text_1", "text_2", "text_3")]
    pairs, grades, groups = [], [], []
    for g, row in enumerate(rows):
        for side in range(1, _SIDES):
            pairs.append((_SIDES * g, _SIDES * g + side))
            grades.append(float(row[f"grade_{side}"]))
        pairs.append((_SIDES * g, _SIDES * ((g + _AWAY) % len(rows))))
        grades.append(0.0)
        groups += [g] * _SIDES
    return Probe(tuple(texts), np.array(pairs), np.array(grades), np.array(groups))
