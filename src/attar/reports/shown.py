"""What a table of recipes shows: at which layers, in which columns, and what it leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attar.io.plural import number_of
from attar.reports.cells import Cells, Variant
from attar.sweep.store import CellRow

MOST_COLUMNS = 8  # that are there for a weight of Avg. alone, of which there are plain means only


@dataclass(frozen=True)
class Shown:
    """The rows that a table has a place for, and what is said of them and of the others."""

    rows: tuple[CellRow, ...]
    layers: dict[str, str]  # by template
    variants: tuple[Variant, ...]  # the columns, in order
    caption: str  # which layers they are of
    left_mixes: tuple[float, ...]  # weights of Avg. that have no column: plain means without a template
    n_left_layers: int  # sets of layers
    n_partial: int  # recipes at these layers that not all tasks have

    def left_out(self, layers: bool = True) -> str | None:
        """One sentence on what is not in the table; None where everything is."""
        parts = []
        if self.left_mixes:
            mixes = ", ".join(f"{mix:g}" for mix in self.left_mixes)
            parts.append(f"Avg. by the weights {mixes}, of which there are plain means only")
        if self.n_partial:
            parts.append(f"{number_of(self.n_partial, 'recipe')} that some of these tasks lack")
        if layers and self.n_left_layers:
            parts.append(f"{number_of(self.n_left_layers, 'other set')} of layers")
        return f"not in this table: {'; '.join(parts)}" if parts else None


def shown(cells: Cells, model: str, subject: str) -> Shown:
    """What the table of a task or family shows: the paper's layers, or where they are not there, the fullest."""
    tasks = cells.tasks(subject) if subject in cells.families else [subject]
    mine = [row for row in cells.scored if row.model == model and row.task in tasks]
    complete = _complete(mine, len(tasks))
    layers, missing = {}, {}
    for template in sorted({row.template for row in mine}, key=lambda name: (name != "none", name)):
        wanted = cells.paper_layers(model, template)
        there = Counter(row.layers for row in mine if row.template == template and row.fields in complete)
        if there:
            layers[template] = wanted if there[wanted] else fullest(there, cells.last_layer[model])
            if not there[wanted]:
                missing[template] = wanted
    at = [row for row in mine if row.layers == layers.get(row.template)]
    held = [row for row in at if row.fields in complete]
    variants, left = _columns(held)
    return Shown(
        tuple(row for row in held if Variant(row.template, row.mix) in variants),
        layers,
        variants,
        _caption(layers, missing),
        left,
        len({row.layers for row in mine} - set(layers.values())),
        len({row.fields for row in at} - complete),
    )


def fullest(there: Counter[str], last: int) -> str:
    """The set of layers with most cells; of several the last layer, then the fewest and highest."""
    return max(there, key=lambda layers: (there[layers], layers == str(last), -layers.count("+"), _numbers(layers)))


def _numbers(layers: str) -> list[int]:
    return [int(layer) for layer in layers.split("+")]


def _complete(rows: Iterable[CellRow], n_tasks: int) -> set[tuple[object, ...]]:
    """The recipes that all tasks have."""
    counts = Counter(row.fields for row in rows)
    return {fields for fields, n in counts.items() if n == n_tasks}


def _columns(rows: Sequence[CellRow]) -> tuple[tuple[Variant, ...], tuple[float, ...]]:
    """All variants; of weights of Avg. that the paper's tables do not have and only heat maps need, a few or none."""
    recipes: dict[Variant, set[tuple[str, str]]] = {}
    for row in rows:
        recipes.setdefault(Variant(row.template, row.mix), set()).add((row.weights, row.shape))
    found = sorted(recipes, key=lambda v: (v.template == "none", v.template, v.mix != 0, v.mix))
    for_maps = [v for v in found if v.published is None and v.template == "none" and recipes[v] == {("mean", "none")}]
    left = for_maps if len(found) > MOST_COLUMNS else []
    return tuple(v for v in found if v not in left), tuple(v.mix for v in left)


def _caption(layers: dict[str, str], missing: dict[str, str]) -> str:
    """`layers 1+12, with a template 12`; where they are not the paper's, it says so."""
    templates = {template: at for template, at in layers.items() if template != "none"}
    parts = [layers["none"]] if "none" in layers else []
    if len(set(templates.values())) == 1:
        (at,) = set(templates.values())
        parts += [] if parts == [at] else [f"with a template {at}"]
    else:
        parts += [f"with {template} {at}" for template, at in templates.items()]
    absent = " or ".join(dict.fromkeys(missing.values()))
    return f"layers {', '.join(parts)}" + (f", as there is no cell at {absent}" if absent else "")
