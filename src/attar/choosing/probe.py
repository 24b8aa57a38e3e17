"""The probe: pairs of sentences written for this package, graded by how close they are in meaning (0 to 5)."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from scipy.stats import rankdata

from attar.scores.correlation import spearman
from attar.types import Doubles, Floats, Ints

TIE = 1e-12
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

    def chances_better(self, cosines: Doubles, than: int, lead: float = 0.0, resamples: int = 500) -> Doubles:
        """In what share of resamples of groups each row of cosines leads one of them by so many points of the score.

        Ranks are taken once, of all pairs. Rows that lead by just that count one half. Shape: (R, P) -> (R,)
        """
        rng = np.random.default_rng(0)
        n = int(self.groups.max()) + 1
        drawn = np.stack([np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(resamples)])
        times = drawn[:, self.groups].astype(np.float64)  # (resamples, P)
        found = _weighted_correlations(rankdata(cosines, axis=1), rankdata(self.grades), times)
        beyond = found - found[:, [than]] - lead / 100
        shares: Doubles = ((beyond > TIE).mean(axis=0) + (beyond >= -TIE).mean(axis=0)) / 2
        return shares


def _weighted_correlations(rows: Doubles, target: Doubles, times: Doubles) -> Doubles:
    """Pearson's, of every row with the target, each column so many times. Shape: (R, P), (P,), (B, P) -> (B, R)"""
    total = times.sum(axis=1, keepdims=True)
    centred = rows - rows.mean(axis=1, keepdims=True)
    aim = target - target.mean()
    mean, aim_mean = times @ centred.T / total, (times @ aim)[:, None] / total
    joint = times @ (centred * aim).T / total - mean * aim_mean
    spread = times @ (centred**2).T / total - mean**2
    aim_spread = (times @ aim**2)[:, None] / total - aim_mean**2
    found: Doubles = joint / np.sqrt(np.maximum(spread * aim_spread, TIE))
    return found


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
