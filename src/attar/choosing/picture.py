"""A picture of the candidates in the space of signals: the probe against the topics or, for groups, the words that
groups foretell against the trials of grouping."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from attar.choosing.candidates import Candidate
from attar.choosing.evidence import SignalEvidence
from attar.choosing.rule import KEPT, Verdict
from attar.errors import MissingExtra
from attar.io.atomic import new_file

AXES = {
    "probe": "probe: Spearman × 100 with graded pairs",
    "topics": "topics: % of texts that stand nearer to their own topic",
    "words": "words: how well groups of your texts foretell their words (100: as the best)",
    "trials": "trials: % of known texts that are grouped rightly",
}


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
        raise MissingExtra("a picture of the choice", "pictures") from None
    figure = Figure(figsize=(7.2, 5.2), layout="constrained")
    axes = figure.subplots()
    names = ("probe", "topics") if evidence.groups is None else ("words", "trials")
    x, y = (evidence.signals[name] for name in names)
    good = evidence.usable & np.isfinite(verdict.value)
    dots = axes.scatter(x[good], y[good], s=22, c=verdict.value[good], cmap="Blues", edgecolors="#8aa", linewidths=0.3)
    figure.colorbar(dots, label="value: agreement on your texts with what is believed in")
    default = next((name for name, candidate in named.items() if candidate == evidence.candidates[KEPT]), "plain")
    axes.axvline(x[KEPT], color="#999", linewidth=0.6, linestyle="--")
    axes.axhline(y[KEPT], color="#999", linewidth=0.6, linestyle="--")
    r = verdict.chosen
    for name, candidate in named.items():
        i = evidence.candidates.index(candidate)
        axes.scatter(x[i], y[i], s=45, marker="D", color="#31506b", zorder=3)
        axes.annotate(name, (x[i], y[i]), textcoords="offset points", xytext=(6, -11), fontsize=8, zorder=4)
    axes.scatter(x[r], y[r], s=190, marker="*", color="#c2410c", zorder=5)
    kept = (
        f"{default} was kept: {evidence.candidates[KEPT]}"
        if verdict.kept
        else f"chosen (star): {evidence.candidates[r]}"
    )
    axes.set_xlabel(AXES[names[0]])
    axes.set_ylabel(AXES[names[1]])
    low = float(np.percentile(x[good], 10)), float(np.percentile(y[good], 10))  # a few disasters would squeeze the rest
    shown = [r, KEPT, *(evidence.candidates.index(c) for c in named.values())]
    left, bottom = min(low[0], *x[shown]) - 1, min(low[1], *y[shown]) - 1
    axes.set_xlim(left=left)
    axes.set_ylim(bottom=bottom)
    beyond = int(((x[good] < left) | (y[good] < bottom)).sum())
    cut = f"\n{beyond} of {int(good.sum())} candidates are worse than is shown here" if beyond else ""
    figure.suptitle(f"{kept}\nabove and right of the dashed lines: better than {default} by both{cut}", fontsize=9)
    form = path.suffix.removeprefix(".")
    with new_file(path) as aside, rc_context({"svg.hashsalt": "attar"}):
        figure.savefig(aside, format=form, dpi=150, metadata={"Date": None} if form == "svg" else None)
