"""Tables of a report, as data: rows and columns with a value, the best of each column and the published value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attar.enough import told
from attar.recipe import NAMED
from attar.reports.cells import Cells, Variant
from attar.reports.shown import fullest, shown
from attar.sweep.best import best_recipes, scores_by_recipe
from attar.sweep.draws import ShapingEffect, draws_by_recipe, shaping_effects
from attar.sweep.store import CellRow

SHAPES = ("none", "zscore", "quantile", "quantile@background", "unit", "whiten", "whiten@background", "abtt:2")
WEIGHTS = ("mean", "mean-without-masks", "idf", "idf@background", "debiased", "mask")
IN_CSV = "all cells are in the report as csv"
MIXED_TEMPLATES = "templates with Avg. stand in the tables of recipes"


@dataclass(frozen=True)
class Value:
    """A number from 0 to 100, whether it is the best of its column, and what the paper has there."""

    score: float
    best: bool = False
    published: float | None = None


@dataclass(frozen=True)
class ReportTable:
    """Labels in front, numbers behind."""

    title: str
    labels: tuple[str, ...]  # headings of the label columns
    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Value | None, ...]], ...]
    notes: tuple[str, ...] = ()  # sentences below it


def recipe_table(cells: Cells, model: str, subject: str) -> ReportTable:
    """Aggregation times post-processing for a task or a family, at the paper's layers: its tables 2, 3 and appendix."""
    tasks = cells.tasks(subject) if subject in cells.families else [subject]
    choice = shown(cells, model, subject)
    grouped = _means(choice.rows, tasks, cells)
    lines = _ordered({(row.weights, row.shape) for row in choice.rows})
    columns = []
    for variant in choice.variants:
        column = [grouped.get((variant, *line)) for line in lines]
        columns.append(mark_best(column))
    rows = tuple((line, tuple(column[i] for column in columns)) for i, line in enumerate(lines))
    title = f"{subject}, mean of {', '.join(tasks)}" if len(tasks) > 1 else subject
    left = choice.left_out()
    notes = [*cells.few_texts_told(model, subject), *([f"{left}; {IN_CSV}"] if left else [])]
    return ReportTable(
        f"{model}: {title}; {choice.caption}",
        ("aggregation", "post-processing"),
        tuple(variant.label for variant in choice.variants),
        rows,
        tuple(notes),
    )


def template_table(cells: Cells, model: str, family: str) -> ReportTable:
    """Templates times aggregations at the last layer, or where it is not there, at one that is; nothing shaped."""
    tasks = cells.tasks(family)
    plain = [
        row for row in cells.scored if row.model == model and row.task in tasks and row.shape == "none" and row.mix == 0
    ]
    layers = template_layers(cells, model, family)
    mine = [row for row in plain if row.layers == layers]
    grouped = _means(mine, tasks, cells)
    weights = sorted({row.weights for row in mine}, key=lambda name: _place(WEIGHTS, name))
    templates = sorted({row.template for row in mine}, key=lambda name: (name != "none", name))
    columns = [mark_best([grouped.get((Variant(t, 0.0), w, "none")) for t in templates]) for w in weights]
    rows = tuple(((t,), tuple(column[i] for column in columns)) for i, t in enumerate(templates))
    kept = tuple((labels, values) for labels, values in rows if any(values))
    mixed = any(row.model == model and row.task in tasks and row.template != "none" and row.mix for row in cells.scored)
    notes = (MIXED_TEMPLATES,) if mixed else ()
    return ReportTable(f"{model}: {family}, templates at layer {layers}", ("template",), tuple(weights), kept, notes)


def template_layers(cells: Cells, model: str, subject: str) -> str:
    """The layers of the table of templates: the last, or where no cell has it, those with most cells."""
    tasks = cells.tasks(subject) if subject in cells.families else [subject]
    there = Counter(
        row.layers
        for row in cells.scored
        if row.model == model and row.task in tasks and row.shape == "none" and row.mix == 0
    )
    last = cells.last_layer[model]
    return str(last) if there[str(last)] or not there else fullest(there, last)


def best_table(cells: Cells) -> ReportTable:
    """The best recipe of each family and task, and the regret of the named recipes."""
    names = tuple(NAMED)
    rows = []
    for best in best_recipes(cells.scored):
        if best.subject in cells.single_task_families:
            continue  # its task says the same
        model, template, layers, weights, shape, mix = best.recipe.fields
        labels = (best.subject, model, template, layers.replace(",", "+"), weights, shape)
        regrets = (None if name not in best.regrets else Value(100 * best.regrets[name]) for name in names)
        tied = "" if best.chosen is None else f"{int(best.chosen.tied.sum())} of {best.n_recipes}"
        expected = None if best.chosen is None else Value(100 * best.chosen.corrected)
        rows.append(((*labels, f"{mix:g}", tied), (Value(100 * best.score, True), expected, *regrets)))
    headings = ("task", "model", "template", "layers", "aggregation", "post-processing", "Avg.", "tied")
    columns = ("score", "expected elsewhere", *(f"regret of {name}" for name in names))
    held = [i for i in range(len(columns)) if any(values[i] is not None for _, values in rows)]
    kept = tuple((labels, tuple(values[i] for i in held)) for labels, values in rows)
    return ReportTable("Best recipes", headings, tuple(columns[i] for i in held), kept)


def shaping_table(cells: Cells, effects: Sequence[ShapingEffect] | None = None) -> ReportTable:
    """What each chain of shapers does to the recipes of a run, with its interval over rows; those that hurt say so."""
    found = shaping_effects_of(cells) if effects is None else effects
    rows = tuple(
        (
            (one.subject, one.model, one.shape, str(one.n_recipes), one.verdict),
            tuple(Value(100 * number) for number in (one.gain.value, one.gain.low, one.gain.high)),
        )
        for one in found
    )
    headings = ("task", "model", "post-processing", "recipes", "verdict")
    places = dict.fromkeys((one.subject, one.model) for one in found)
    notes = tuple(
        f"{subject}{f', {model}' if len(cells.models) > 1 else ''}: {sentence}"
        for subject, model in places
        for sentence in told(one.few for one in found if one.few and (one.subject, one.model) == (subject, model))
    )
    return ReportTable("What shaping does", headings, ("gain", "from", "to"), rows, notes)


def shaping_effects_of(cells: Cells) -> list[ShapingEffect]:
    """Families first, then tasks."""
    effects = shaping_effects(scores_by_recipe(cells.scored), draws_by_recipe(cells.scored), cells.few_texts)
    once = [one for one in effects if one.subject not in cells.single_task_families]
    return sorted(once, key=lambda one: (one.subject not in cells.families, one.subject))


def all_tables(cells: Cells) -> list[ReportTable]:
    """Families, then templates, then tasks, for each model; then the best recipes."""
    found = []
    for model in cells.models:
        found += [recipe_table(cells, model, f) for f in cells.families if f not in cells.single_task_families]
        found += [template_table(cells, model, family) for family in cells.families]
        found += [recipe_table(cells, model, task) for family in cells.families for task in cells.tasks(family)]
    return [table for table in [*found, shaping_table(cells), best_table(cells)] if table.rows]


def mark_best(column: Sequence[Value | None]) -> list[Value | None]:
    scores = [round(value.score, 1) for value in column if value]
    top = max(scores) if len(scores) > 1 else None  # one alone is not the best of anything
    return [value and Value(value.score, round(value.score, 1) == top, value.published) for value in column]


def _means(rows: Iterable[CellRow], tasks: Sequence[str], cells: Cells) -> dict[tuple[Variant, str, str], Value]:
    """Means over tasks of those recipes that have all of them."""
    gathered: dict[tuple[Variant, str, str], list[CellRow]] = {}
    for row in rows:
        gathered.setdefault((Variant(row.template, row.mix), row.weights, row.shape), []).append(row)
    found = {}
    for key, members in gathered.items():
        if len(members) == len(tasks):
            printed = [cells.published(row) for row in members]
            known = [value for value in printed if value is not None]
            mean = sum(known) / len(known) if len(known) == len(printed) else None
            found[key] = Value(100 * sum(row.score or 0.0 for row in members) / len(members), False, mean)
    return found


def _ordered(lines: set[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(lines, key=lambda line: (_place(WEIGHTS, line[0]), _place(SHAPES, line[1])))


def _place(known: Sequence[str], name: str) -> tuple[int, str]:
    """Those of the paper first, in its order."""
    return (known.index(name) if name in known else len(known), name)
