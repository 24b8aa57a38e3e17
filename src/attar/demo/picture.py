"""The demo as a picture: where each answer stood before and where it stands after, and three questions in full."""

from __future__ import annotations

import textwrap
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from attar.demo.searched import Searched, gained_most

INK, SOFT, ROSE, GREY, PAPER = "#2d1420", "#8b6f7c", "#c2417c", "#b9a9b1", "#fffafc"
LINE = 40  # characters of an example's line


def can_draw() -> bool:
    """Whether what draws is installed."""
    return find_spec("matplotlib") is not None


def draw(plain: Searched, better: Searched, model: str, path: Path) -> None:
    """Ranks on the left, examples on the right."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=(12, 6.6), facecolor=PAPER)
    _headline(figure, plain, better, model)
    _slopes(figure.add_axes((0.075, 0.085, 0.37, 0.63)), plain, better)
    _examples(figure.add_axes((0.53, 0.04, 0.44, 0.75)), plain, better)
    figure.savefig(path, dpi=150, facecolor=PAPER, format="png")
    plt.close(figure)


def _headline(figure: Any, plain: Searched, better: Searched, model: str) -> None:
    asked = f"{len(plain.ranks)} questions asked of {len(plain.sample.documents)} sentences"
    figure.text(0.03, 0.925, "Asked in other words, is the right sentence found?", size=21, weight="bold", color=INK)
    figure.text(
        0.03,
        0.868,
        f"{asked}, by one model ({model}) in two ways. Nothing is trained.",
        size=12.5,
        color=SOFT,
    )


def _slopes(axis: Any, plain: Searched, better: Searched) -> None:
    """One line per question, from its answer's rank before to the one after; 1 is at the top."""
    n = len(plain.ranks)
    spread = np.random.default_rng(0).uniform(-0.06, 0.06, size=(n, 2))  # equal ranks side by side
    for query, (before, after) in enumerate(zip(plain.ranks, better.ranks, strict=True)):
        kept = after == 1
        heights = np.log2([before, after]) + spread[query]
        axis.plot([0, 1], heights, color=ROSE if kept else GREY, linewidth=1.5, alpha=0.55, zorder=2 + kept)
        axis.scatter([0, 1], heights, s=20, color=[ROSE if rank == 1 else GREY for rank in (before, after)], zorder=5)
    lowest = int(max(plain.ranks.max(), better.ranks.max()))
    places = [place for place in (1, 2, 4, 8, 16, 32, 64) if place <= max(lowest, 4)]
    axis.set_yticks(np.log2(places), ["first", *(f"{place}th" if place > 2 else "2nd" for place in places[1:])])
    axis.set_ylim(np.log2(max(lowest, 4)) + 0.25, -0.35)
    axis.set_facecolor(PAPER)
    axis.set_xlim(-0.06, 1.06)
    axis.set_xticks([])
    axis.tick_params(axis="y", length=0, labelsize=11, labelcolor=SOFT)
    for side in axis.spines.values():
        side.set_visible(False)
    axis.hlines(np.log2(places), -0.06, 1.06, color=SOFT, alpha=0.15, linewidth=0.8, zorder=0)
    top = axis.get_xaxis_transform()  # heights as shares of the axis
    told = "A line is a question; its height, the place of the right sentence in the search."
    axis.text(-0.06, -0.045, told, size=10, color=SOFT, transform=top)
    for x, row, colour, at in ((0, plain, SOFT, "left"), (1, better, ROSE, "right")):
        axis.text(x, 1.095, f"{row.first} of {n} first", size=18, weight="bold", color=colour, ha=at, transform=top)
        axis.text(x, 1.03, row.label, size=11, color=colour, ha=at, transform=top)


def _examples(axis: Any, plain: Searched, better: Searched) -> None:
    """The two that gained most, and the one that is still worst."""
    axis.set_axis_off()
    axis.set_xlim(0, 1)
    axis.set_ylim(1, 0)
    gains = gained_most(plain, better)
    height = 0.0
    chosen = [("gained most", gains[0]), ("gained next", gains[1]), ("still wrong", int(better.ranks.argmax()))]
    for about, query in chosen:
        if about == "still wrong" and better.ranks[query] == 1:
            continue
        height = _example(axis, height, about, int(query), plain, better) + 0.05


def _example(axis: Any, at: float, about: str, query: int, plain: Searched, better: Searched) -> float:
    """One question and what both find; how far down it reaches."""
    at = _written(axis, 0, at, f"“{plain.sample.queries[query]}”", INK, size=12.5, weight="bold", note=about)
    right = plain.sample.documents[plain.sample.answer(query)]
    for row in (plain, better):
        found = row.found(query)
        good = found == right
        axis.text(0.015, at, "✓" if good else "✗", size=12.5, color=ROSE if good else GREY, va="top", weight="bold")
        at = _written(axis, 0.06, at, found, ROSE if good else SOFT, size=12, note=row.label)
    if better.found(query) != right:
        axis.text(0.015, at, "→", size=12.5, color=INK, va="top")
        at = _written(axis, 0.06, at, right, INK, size=12, note="right")
    return at


def _written(axis: Any, x: float, at: float, text: str, colour: str, note: str, **font: Any) -> float:
    lines = textwrap.wrap(text, LINE)
    axis.text(x, at, "\n".join(lines), color=colour, va="top", linespacing=1.3, **font)
    axis.text(1.0, at + 0.006, note, size=9, color=SOFT, va="top", ha="right", alpha=0.85)
    return at + 0.05 * len(lines) + 0.012
