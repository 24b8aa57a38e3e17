"""A picture of the candidates in the space of signals: what the probe says against what the texts say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from attar.choosing.candidates import Candidate
from attar.choosing.evidence import SignalEvidence
from attar.choosing.rule import Verdict
from attar.errors import MissingExtra
from attar.io.atomic import new_file


def draw_picture(evidence: SignalEvidence, verdict: Verdict, named: Mapping[str, Candidate], path: Path) -> None:
    """Draw all candidates, the named ones and the chosen one; the ending of the path (svg, png) decides the form.

    Raises
    ------
    MissingExtra
        If matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("drawing the choice", "models") from None
    figure = Figure(figsize=(6.4, 4.6), layout="constrained")
    axes = figure.subplots()
    x, y = evidence.signals["probe"], verdict.value
    good = evidence.usable & np.isfinite(y)
    sizes = 12 + 240 * np.sqrt(verdict.belief[good])
    axes.scatter(x[good], y[good], s=sizes, color="#9bb0c1", linewidths=0, label="candidates (larger: believed in)")
    for name, candidate in named.items():
        r = evidence.candidates.index(candidate)
        axes.scatter(x[r], y[r], s=45, marker="D", color="#31506b")
        axes.annotate(name, (x[r], y[r]), textcoords="offset points", xytext=(6, -10), fontsize=8)
    r = verdict.chosen
    label = f"chosen: {evidence.candidates[r]}"
    axes.scatter(x[r], y[r], s=150, marker="*", color="#c2410c", label=label, zorder=3)
    axes.set_xlabel("probe: Spearman × 100 with graded pairs")
    axes.set_ylabel("value: agreement on these texts")
    axes.legend(fontsize=7, loc="lower right")
    form = path.suffix.removeprefix(".")
    with new_file(path) as aside, rc_context({"svg.hashsalt": "attar"}):
        figure.savefig(aside, format=form, dpi=150, metadata={"Date": None} if form == "svg" else None)
