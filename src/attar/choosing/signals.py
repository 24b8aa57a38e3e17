"""Signals: what can be said of a recipe without labels. Each is one function of its vectors; more is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from attar.choosing.neighbours import nearest
from attar.choosing.passes import Units
from attar.choosing.probe import Probe
from attar.types import Floats, Ints

NEIGHBOURS = 5  # of each text, in votes
HUB_NEIGHBOURS = 10

Measure = Callable[[Units, Floats, Probe], float]  # vectors, cosines of all texts with all, probe


def probe_score(units: Units, cosines: Floats, probe: Probe) -> float:
    """How well cosines follow the grades of the probe: Spearman x 100."""
    return probe.score(probe.cosines(units.probe))


def contrast(units: Units, cosines: Floats, probe: Probe) -> float:
    """How far the nearest text stands out from all others, in deviations of the cosines; NaN if all are equal."""
    others = cosines[np.isfinite(cosines)]
    deviation = float(others.std())
    if deviation < 1e-6:
        return float("nan")
    return float((cosines.max(axis=1).mean() - others.mean()) / deviation)


def evenness(units: Units, cosines: Floats, probe: Probe) -> float:
    """Whether some texts are everyone's neighbours: minus the skewness of how often a text is a neighbour."""
    times = np.bincount(nearest(cosines, HUB_NEIGHBOURS).ravel(), minlength=len(cosines)).astype(np.float64)
    deviation = times.std()
    return 0.0 if deviation == 0 else float(-(((times - times.mean()) / deviation) ** 3).mean())


# name in tables: how it is measured; "votes" needs all recipes and is added by `attar.choosing.evidence`
SIGNALS: Mapping[str, Measure] = {"probe": probe_score, "contrast": contrast, "evenness": evenness}


def neighbour_list(cosines: Floats) -> Ints:
    """The neighbours that votes are taken on. Shape: (N, N) -> (N, k)"""
    return nearest(cosines, NEIGHBOURS)
