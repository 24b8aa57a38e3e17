"""Best: which recipe of a run is best for a task or a family, and what the named recipes lose against it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from attar.errors import unknown_name
from attar.recipe import NAMED
from attar.sweep.store import CellRow
from attar.sweep.subjects import SMALLER_IS_BETTER
from attar.tasks import FAMILIES


@dataclass(frozen=True, order=True)
class RecipeKey:
    """A recipe of a run, as its columns name it."""

    model: str
    template: str
    layers: str
    weights: str
    shape: str
    mix: float

    @classmethod
    def of(cls, row: CellRow) -> RecipeKey:
        return cls(row.model, row.template, row.layers, row.weights, row.shape, row.mix)


@dataclass(frozen=True)
class Best:
    """The best recipe for a task or a family, and the regret of the named ones: how much less they reach."""

    subject: str
    model: str
    recipe: RecipeKey
    score: float
    n_tasks: int
    regrets: dict[str, float]


def scores_by_recipe(rows: Iterable[CellRow]) -> dict[str, dict[RecipeKey, float]]:
    """For each task, and for each family as the mean over its tasks, the score of each recipe that has them all."""
    found: dict[str, dict[RecipeKey, float]] = defaultdict(dict)
    of_family: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        if row.score is not None:
            found[row.task][RecipeKey.of(row)] = row.score
            of_family[row.family][row.task] = None
    for family, tasks in of_family.items():
        if family in FAMILIES:
            shared = set.intersection(*(set(found[task]) for task in tasks))
            found[family] = {key: sum(found[task][key] for task in tasks) / len(tasks) for key in shared}
    return dict(found)


def best_recipes(rows: Iterable[CellRow]) -> list[Best]:
    """For every model, families first, then tasks."""
    rows = list(rows)
    n_tasks: dict[str, int] = {f: len({row.task for row in rows if row.family == f}) for f in FAMILIES}
    table = scores_by_recipe(rows)
    depth = {row.model: _last_layer(rows, row.model) for row in rows}
    found = []
    for subject in [*(f for f in FAMILIES if table.get(f)), *sorted(set(table) - set(FAMILIES))]:
        if subject in SMALLER_IS_BETTER or subject == "isoscore":
            continue
        for model in sorted({key.model for key in table[subject]}):
            mine = {key: score for key, score in table[subject].items() if key.model == model}
            top = min(mine, key=lambda key: (-mine[key], key))
            named = {name: named_key(name, model, depth[model]) for name in NAMED}
            regrets = {name: mine[top] - mine[key] for name, key in named.items() if key in mine}
            found.append(Best(subject, model, top, mine[top], n_tasks.get(subject, 1), regrets))
    return found


def find_best(rows: Iterable[CellRow], subject: str, model: str | None = None) -> Best:
    """The best of one task or family, over all models unless one is named."""
    known = best_recipes(rows)
    mine = [best for best in known if best.subject == subject and model in (None, best.model)]
    if not mine:
        raise unknown_name("task or family of this run", subject, dict.fromkeys(best.subject for best in known))
    return max(mine, key=lambda best: best.score)


def named_key(name: str, model: str, last_layer: int) -> RecipeKey:
    """A named recipe as a run would name it."""
    layers, weights, shape, _ = NAMED[name]
    numbers = {"first": 1, "last": last_layer}
    chosen = sorted({numbers[str(layer)] for layer in layers})  # type: ignore[union-attr]
    return RecipeKey(model, "none", "+".join(map(str, chosen)), weights, shape or "none", 0.0)


def _last_layer(rows: Iterable[CellRow], model: str) -> int:
    return max(int(layer) for row in rows if row.model == model for layer in row.layers.split("+"))
