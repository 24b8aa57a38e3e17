"""Figures of a report as PNG or SVG files: layer curves, heat maps of the mix, isotropy, alignment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from attar.errors import InputError, MissingExtra
from attar.io.atomic import make_own_folder, new_file
from attar.reports.cells import Cells, Variant
from attar.sweep.store import CellRow
from attar.types import Doubles

Key = Callable[[CellRow], tuple[Any, ...]]
Point = tuple[str, float, float]  # variant, measure, score
PROMPTED = ("answer", "text")  # what prompts are read by, as templates by the mean
_PLAIN = {"text.parse_math": False, "text.usetex": False}
NO_FIGURES = (
    "no figure can be drawn of these cells: layer curves need three sets of layers with plain means, heat maps four "
    "mixes, the others the tasks isoscore, alignment and uniformity; the tables are in --format html, md or csv"
)
_FIGURE = re.compile(r"(layers|mix|isotropy|alignment)-.*\.(png|svg)", re.DOTALL)


def write_figures(cells: Cells, folder: Path, form: str) -> int:
    """Draw all that the cells allow into a folder; returns how many figures that were.

    Raises
    ------
    InputError
        If the cells allow none; the folder is then left as it is.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("drawing figures", "pictures") from None
    to_draw = list(figures(cells))
    if not to_draw:
        raise InputError(NO_FIGURES)
    make_own_folder(folder, holds_figures, "a folder of figures")
    names: set[str] = set()
    for title, draw in to_draw:
        name = file_name(title, names)
        names.add(name)
        # No date and no random ids inside, so that the same cells give the same file; a $ in a name is a $.
        with new_file(folder / f"{name}.{form}") as aside, rc_context({"svg.hashsalt": "attar", **_PLAIN}):
            figure = Figure(figsize=(6.4, 4), layout="constrained")
            draw(figure.subplots())
            figure.savefig(aside, format=form, dpi=150, metadata={"Date": None} if form == "svg" else None)
    return len(names)


def holds_figures(names: Sequence[str]) -> bool:
    """Whether a folder holds figures of ours and nothing else."""
    return all(_FIGURE.fullmatch(name) for name in names)


def file_name(title: str, taken: set[str]) -> str:
    """What a figure's file is called: letters, digits, dots and dashes, whatever the model is called."""
    plain = re.sub(r"[^\w.+-]+", "-", title)[:150]
    return next(name for i in count(1) if (name := plain if i == 1 else f"{plain}-{i}") not in taken)


def figures(cells: Cells) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """Name and drawing of each figure that has something to show."""
    for model in cells.models:
        for family in cells.families:
            tasks = cells.tasks(family)
            mine = [row for row in cells.scored if row.model == model and row.task in tasks]
            plain = [row for row in mine if row.shape == "none" and row.weights == "mean"]
            read = [row for row in mine if row.shape == "none" and row.weights in ("mean", *PROMPTED) and row.mix == 0]
            curves = means(read, len(tasks), lambda r: (_curve(r), r.layers))
            if len({layers for _, layers in curves}) > 2:
                yield f"layers-{model}-{family}", _layer_curves(curves, f"{model}: {family}")
            heat = means((r for r in plain if r.template == "none"), len(tasks), lambda r: (r.mix, r.layers))
            if len({mix for mix, _ in heat}) > 3:
                yield f"mix-{model}-{family}", _heat_map(heat, f"{model} + Avg.: {family}")
            points = _joined(cells, model, "isoscore", means(mine, len(tasks), _recipe))
            if family != "classification" and len(points) > 2:
                yield f"isotropy-{model}-{family}", _isotropy(points, f"{model}: {family}")
        aligned = means((r for r in cells.scored if r.model == model and r.task == "alignment"), 1, _recipe)
        points = _joined(cells, model, "uniformity", aligned)
        if points:
            yield f"alignment-{model}", _alignment(points, model)


def means(rows: Iterable[CellRow], n_tasks: int, key: Key) -> dict[tuple[Any, ...], tuple[float, float]]:
    """Mean and standard deviation over tasks (times 100), of keys that have all of them."""
    held: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        held.setdefault(key(row), []).append(100 * (row.score or 0.0))
    return {
        k: (float(np.mean(v)), float(np.std(v, ddof=1)) if len(v) > 1 else 0.0)
        for k, v in held.items()
        if len(v) == n_tasks
    }


def _curve(row: CellRow) -> str:
    """What the line through the layers of a recipe is called."""
    template = "no template" if row.template == "none" else row.template
    return template if row.weights == "mean" else f"{template} ({row.weights})"


def _recipe(row: CellRow) -> tuple[Any, ...]:
    return (Variant(row.template, row.mix).label, row.layers, row.weights, row.shape)


def _joined(cells: Cells, model: str, measure: str, scores: dict[tuple[Any, ...], tuple[float, float]]) -> list[Point]:
    """Variant, measure and score of the recipes that have both; whitened ones say nothing about isotropy."""
    found = []
    for row in cells.scored:
        if row.model == model and row.task == measure and _recipe(row) in scores:
            if measure == "isoscore" and "whiten" in row.shape:
                continue
            found.append((_recipe(row)[0], 100 * (row.score or 0.0), scores[_recipe(row)][0]))
    return found


def _layer_place(layers: str) -> tuple[int, ...]:
    numbers = [int(layer) for layer in layers.split("+")]
    return (len(numbers), *numbers)


def _layer_curves(curves: dict[tuple[Any, ...], tuple[float, float]], title: str) -> Callable[[Any], None]:
    def draw(axes: Any) -> None:
        places = sorted({layers for _, layers in curves if layers.count("+") < 2}, key=_layer_place)
        for name in sorted({name for name, _ in curves}, key=lambda name: (name != "no template", name)):
            at = [i for i, layers in enumerate(places) if (name, layers) in curves]
            y, sd = (np.array([curves[name, places[i]][k] for i in at]) for k in (0, 1))
            axes.plot(at, y, marker="o", markersize=3, label=name)
            axes.fill_between(at, y - sd, y + sd, alpha=0.12)
        axes.set_xticks(range(len(places)), places, fontsize=7, rotation=90 if len(places) > 15 else 0)
        axes.set(xlabel="layer", ylabel="score × 100", title=title)
        axes.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))  # beside the lines

    return draw


def _heat_map(heat: dict[tuple[Any, ...], tuple[float, float]], title: str) -> Callable[[Any], None]:
    def draw(axes: Any) -> None:
        columns = sorted({layers for mix, layers in heat if mix != 0}, key=_layer_place)
        mixes = sorted({mix for mix, layers in heat if layers in columns})
        grid = np.array([[heat.get((mix, layers), (np.nan, 0))[0] for layers in columns] for mix in mixes])
        image = axes.imshow(grid, aspect="auto", origin="lower", cmap="viridis")
        best = np.unravel_index(np.nanargmax(grid), grid.shape)
        axes.plot(best[1], best[0], marker="x", color="black", markersize=9, markeredgewidth=2)
        axes.set_xticks(range(len(columns)), columns, rotation=45, fontsize=7)
        axes.set_yticks(range(len(mixes)), [f"{mix:g}" for mix in mixes])
        axes.set(xlabel="layers", ylabel="weight of Avg.", title=title)
        axes.figure.colorbar(image, ax=axes)

    return draw


def _isotropy(points: list[Point], title: str) -> Callable[[Any], None]:
    def draw(axes: Any) -> None:
        for variant in _variants(points):
            mine = [p for p in points if p[0] == variant]
            axes.scatter(*_xy(mine), s=16, alpha=0.7, label=f"{variant}{_pearson(mine)}")
        axes.set(xlabel="IsoScore × 100", ylabel="score × 100", title=f"{title}{_pearson(points)} over all")
        axes.legend(frameon=False, fontsize=7)

    return draw


def _alignment(points: list[Point], title: str) -> Callable[[Any], None]:
    def draw(axes: Any) -> None:
        for variant in _variants(points):
            x, y = _xy([p for p in points if p[0] == variant])
            axes.scatter(x / 100, y / 100, s=16, alpha=0.7, label=variant)
        axes.set(xlabel="uniformity", ylabel="alignment", title=title)
        axes.legend(frameon=False, fontsize=7)

    return draw


def _variants(points: list[Point]) -> list[str]:
    """No template first, then templates, then mixes."""
    return sorted({p[0] for p in points}, key=lambda v: (v != "no template", "Avg." in v, v))


def _xy(points: list[Point]) -> tuple[Doubles, Doubles]:
    return np.array([p[1] for p in points]), np.array([p[2] for p in points])


def _pearson(points: list[Point]) -> str:
    x, y = _xy(points)
    return f", r = {np.corrcoef(x, y)[0, 1]:.2f}" if len(x) > 2 and x.std() > 0 and y.std() > 0 else ""
