"""An explanation as a small HTML page, or as a picture."""

from __future__ import annotations

import html
import textwrap
from pathlib import Path

import numpy as np

from attar.errors import MissingExtra
from attar.explanation import Explanation, Word
from attar.io.atomic import new_file
from attar.types import Doubles

_STYLE = """
:root { color-scheme: light dark; } body { font: 16px/1.6 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem;
padding: 0 1rem; } .line { margin: .6rem 0; } .w { border-radius: 4px; padding: 1px 4px; margin: 0 1px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .85rem; }
.scroll { overflow-x: auto; }
td, th { padding: 3px 7px; text-align: right; font-weight: 400; } th { opacity: .75; }
"""


def as_page(explained: Explanation) -> str:
    """One HTML file without scripts; words are escaped."""
    how = (
        "" if explained.exact else f" Through {', '.join(explained.local)}, contributions are those of a small change."
    )
    if explained.note:
        how += f" Note: {explained.note}."
    most = float(np.abs(explained.contributions).max(initial=0.0))
    head = "".join(f"<th>{html.escape(word.text)}</th>" for word in explained.b)
    body = "".join(
        f"<tr><th>{html.escape(word.text)}</th>{''.join(_cell(value, most) for value in row)}</tr>"
        for word, row in zip(explained.a, explained.contributions, strict=True)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Why two texts are close</title>'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head><body>'
        f"<h1>Cosine {explained.cosine:.4f}</h1><p>Contributions of words and pairs of words, times 100; they add up "
        f"to the cosine.{html.escape(how)}</p>"
        f"{_line(explained.a, explained.of_a)}{_line(explained.b, explained.of_b)}"
        f'<div class="scroll"><table><tr><th></th>{head}</tr>{body}</table></div></body></html>\n'
    )


def _line(words: tuple[Word, ...], shares: Doubles) -> str:
    most = float(np.abs(shares).max(initial=0.0))
    shown = " ".join(
        f'<span class="w" title="{100 * share:+.1f}" style="background:{_shade(share, most)}">'
        f"{html.escape(word.text)}</span>"
        for word, share in zip(words, shares, strict=True)
    )
    return f'<p class="line">{shown}</p>'


def _cell(value: float, most: float) -> str:
    return f'<td style="background:{_shade(value, most)}">{100 * value:.1f}</td>'


def _shade(value: float, most: float) -> str:
    strength = 0.0 if most == 0 else abs(value) / most
    return f"rgb({'220 110 30' if value > 0 else '50 110 190'} / {0.75 * strength:.3f})"


def write_figure(explained: Explanation, path: Path) -> None:
    """The matrix as a PNG."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("a picture of an explanation", "pictures") from None
    n_a, n_b = explained.contributions.shape
    figure = Figure(figsize=(2 + 0.55 * n_b, 1.6 + 0.32 * n_a), layout="constrained")
    axes = figure.subplots()
    most = float(np.abs(explained.contributions).max(initial=0.0)) or 1.0
    shown = axes.imshow(100 * explained.contributions, cmap="PuOr_r", vmin=-100 * most, vmax=100 * most, aspect="auto")
    axes.set_xticks(range(n_b), [word.text.replace("$", r"\$") for word in explained.b], rotation=60, ha="right")
    axes.set_yticks(range(n_a), [word.text.replace("$", r"\$") for word in explained.a])
    title = f"cosine {explained.cosine:.4f} = sum of the squares, x 100"
    axes.set_title("\n".join([title, *textwrap.wrap(explained.note, 60)]))
    figure.colorbar(shown)
    with new_file(path) as aside:
        figure.savefig(aside, format="png", dpi=130)
