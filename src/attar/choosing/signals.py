"""Signals: what can be said of a recipe without labels. Each is one function of its vectors; more is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from attar.choosing.neighbours import nearest
from attar.types import Floats, Ints

NEIGHBOURS = 5  # of each text, in votes
HUB_NEIGHBOURS = 10

Measure = Callable[[Floats], float]  # of the cosines of all texts with all


def contrast(cosines: Floats) -> float:
    """How far the nearest text stands out from all others, in deviations of the cosines; NaN if all are equal."""
    others = cosines[np.isfinite(cosines)]
    deviation = float(others.std())
    if deviation < 1e-6:
        return float("nan")
    return float((cosines.max(axis=1).mean() - others.mean()) / deviation)


def evenness(cosines: Floats) -> float:
    """Whether some texts are everyone's neighbours: minus the skewness of how often a text is a neighbour."""
    times = np.bincount(nearest(cosines, HUB_NEIGHBOURS).ravel(), minlength=len(cosines)).astype(np.float64)
    deviation = times.std()
    return 0.0 if deviation == 0 else float(-(((times - times.mean()) / deviation) ** 3).mean())


# name in tables: how it is measured; what needs the probes or all recipes is added by `attar.choosing.evidence`
SIGNALS: Mapping[str, Measure] = {"contrast": contrast, "evenness": evenness}


def neighbour_list(cosines: Floats) -> Ints:
    """The neighbours that votes are taken on. Shape: (N, N) -> (N, k)"""
    return nearest(cosines, NEIGHBOURS)
