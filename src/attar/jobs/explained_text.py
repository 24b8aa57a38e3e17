"""An explanation for the terminal: two coloured lines, and a small matrix of the words that matter most."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from attar.explanation import Explanation, Word
from attar.types import Doubles, Ints, Role

MOST = 10  # words of each text in the matrix
_CELL = 7  # letters of a column
_WARM, _COLD = (200, 96, 16), (56, 120, 200)  # what brings texts together, what keeps them apart


def in_terminal(explained: Explanation, colours: bool) -> str:
    """The cosine, both texts with each word's contribution, and the matrix; where words can't be told apart, why."""
    if explained.note:
        return f"cosine {explained.cosine:.4f}\nnote: {explained.note}"
    most = float(max(np.abs(explained.of_a).max(), np.abs(explained.of_b).max()))
    lines = [f"cosine {explained.cosine:.4f}{_said(explained)}", ""]
    for name, words, shares in (("A", explained.a, explained.of_a), ("B", explained.b, explained.of_b)):
        lines.append(f"{name}  " + " ".join(_word(*pair, most, colours) for pair in zip(words, shares, strict=True)))
    return "\n".join([*lines, "", *_matrix(explained, colours)])


def best_pairs(explained: Explanation, most: int = 4) -> str:
    """The pairs of words that contribute most, in one line."""
    if explained.note:
        return f"why: {explained.note}"
    order = np.argsort(-explained.contributions, axis=None)[:most]
    found = []
    for place in order:
        i, j = divmod(int(place), explained.contributions.shape[1])
        value = explained.contributions[i, j]
        if value > 0:
            found.append(f"{explained.a[i].text} ~ {explained.b[j].text} {value:+.3f}")
    return "why: " + (", ".join(found) or "no pair of words brings them together")


def _said(explained: Explanation) -> str:
    if explained.exact:
        return ", the sum of the contributions below"
    return (
        f", the sum of the contributions below; through {', '.join(explained.local)} they are those of a small change"
    )


def _word(word: Word, share: float, most: float, colours: bool) -> str:
    shown = f"[{word.text}]" if word.role in (Role.TEMPLATE,) else word.text
    if not colours:
        return f"{shown}({100 * share:+.0f})"
    return click.style(f" {shown} ", **_colour(share, most))


def _colour(share: float, most: float) -> dict[str, Any]:
    """The stronger, the more it stands out, on dark terminals as on light ones: dim, coloured, bold, filled."""
    strength = 0.0 if most == 0 else min(abs(share) / most, 1.0)
    if strength < 0.1:
        return {"dim": True}
    colour = _WARM if share > 0 else _COLD
    if strength < 0.65:
        return {"fg": colour, "bold": strength >= 0.35}
    return {"bg": colour, "fg": (255, 255, 255), "bold": True}


def _matrix(explained: Explanation, colours: bool) -> list[str]:
    rows, columns = (_telling(explained.contributions, axis) for axis in (1, 0))
    shown = explained.contributions[np.ix_(rows, columns)]
    width = max([len(explained.a[i].text) for i in rows] + [5])
    lines = ["x 100".ljust(width) + "".join(_cut(explained.b[j].text).rjust(_CELL + 1) for j in columns)]
    most = float(np.abs(shown).max(initial=0.0))
    for i, row in zip(rows, shown, strict=True):
        cells = [f"{100 * value:.1f}".rjust(_CELL) for value in row]
        if colours:
            cells = [click.style(cell, **_colour(value, most)) for cell, value in zip(cells, row, strict=True)]
        lines.append(explained.a[i].text.ljust(width) + "".join(" " + cell for cell in cells))
    rest = explained.cosine - float(shown.sum())
    if shown.size < explained.contributions.size:
        lines.append(f"({explained.contributions.size - shown.size} more pairs make up {100 * rest:+.1f})")
    return lines


def _telling(contributions: Doubles, axis: int) -> Ints:
    """The words with the greatest contributions, in their order."""
    order = np.argsort(-np.abs(contributions).sum(axis=axis), kind="stable")[:MOST]
    return np.sort(order)


def _cut(text: str) -> str:
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"
