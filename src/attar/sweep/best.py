"""Best: which recipe of a run is best for a task or a family, and what the named recipes lose against it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from attar.enough import Few
from attar.errors import unknown_name
from attar.recipe import NAMED, Recipe
from attar.scores.comparison import BestOfMany, Difference, best_of_many, difference
from attar.sweep.draws import Fields, ShapingEffect, draws_by_recipe, few_texts, shaping_effects
from attar.sweep.meanings import Meanings, meanings
from attar.sweep.store import CellRow
from attar.sweep.subjects import SMALLER_IS_BETTER
from attar.tasks import FAMILIES
from attar.types import Doubles

PLAIN_WEIGHTS = "mean"  # taken among equals


@dataclass(frozen=True)
class Best:
    """The best recipe for a task or a family, and the regret of the named ones: how much less they reach."""

    subject: str
    model: str
    recipe: Recipe  # with the model by its short name
    score: float
    n_tasks: int
    regrets: dict[str, float]
    n_recipes: int  # that it was chosen among
    chosen: BestOfMany | None  # what the choice does to it; None where the run kept no draws
    sure_regrets: dict[str, Difference]  # the regrets with their intervals over rows, where there are draws
    hurts: tuple[ShapingEffect, ...]  # shapers that the recipes of this model surely lose by
    untold: tuple[Few, ...] = ()  # shapers that learned from too few texts to tell what they do with more


def scores_by_recipe(rows: Iterable[CellRow]) -> dict[str, dict[Fields, float]]:
    """For each task, and for each family as the mean over its tasks, the score of each recipe that has them all."""
    found: dict[str, dict[Fields, float]] = defaultdict(dict)
    of_family: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        if row.score is not None:
            found[row.task][row.fields] = row.score
            of_family[row.family][row.task] = None
    for family, tasks in of_family.items():
        if family in FAMILIES:
            shared = set.intersection(*(set(found[task]) for task in tasks))
            found[family] = {key: sum(found[task][key] for task in tasks) / len(tasks) for key in shared}
    return dict(found)


def single_task_families(rows: Iterable[CellRow]) -> frozenset[str]:
    """Families of which there is one task only: what is true of the family is what is true of the task."""
    tasks: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        tasks[row.family].add(row.task)
    return frozenset(f for f in FAMILIES if len(tasks.get(f, ())) == 1 and tasks[f] != {f})


def best_recipes(rows: Iterable[CellRow]) -> list[Best]:
    """For every model, families first, then tasks."""
    rows = list(rows)
    n_tasks: dict[str, int] = {f: len({row.task for row in rows if row.family == f}) for f in FAMILIES}
    table, draws = scores_by_recipe(rows), draws_by_recipe(rows)
    effects = shaping_effects(table, draws, few_texts(rows))
    shown = {row.fields: row for row in rows}
    meant = meanings(rows)
    wrapped = {row.model for row in rows if row.is_wrapped}  # named recipes are weighted means
    found = []
    for subject in [*(f for f in FAMILIES if table.get(f)), *sorted(set(table) - set(FAMILIES))]:
        if subject in SMALLER_IS_BETTER or subject == "isoscore":
            continue
        for model in sorted({key[0] for key in table[subject]}):
            mine = {key: score for key, score in table[subject].items() if key[0] == model}
            top = min(mine, key=lambda key: (-mine[key], key[3] != PLAIN_WEIGHTS, key))
            named = {} if model in wrapped else {name: named_fields(name, model, meant[model]) for name in NAMED}
            present = {name: key for name, key in named.items() if key in mine}
            drawn = draws.get(subject, {})
            found.append(
                Best(
                    subject,
                    model,
                    shown[top].shown_recipe(),
                    mine[top],
                    n_tasks.get(subject, 1),
                    {name: mine[top] - mine[key] for name, key in present.items()},
                    len(mine),
                    _chosen(mine, drawn),
                    {
                        name: difference(mine[top], drawn[top], mine[key], drawn[key])
                        for name, key in present.items()
                        if top in drawn and key in drawn and len(drawn[top]) == len(drawn[key])
                    },
                    tuple(one for one in effects if one.hurts and (one.subject, one.model) == (subject, model)),
                    tuple(one.few for one in effects if one.few and (one.subject, one.model) == (subject, model)),
                )
            )
    return found


def _chosen(mine: Mapping[Fields, float], draws: Mapping[Fields, Doubles]) -> BestOfMany | None:
    """What the choice among these recipes does to the best; None where some kept no draws, or others."""
    keys = sorted(mine)
    if not all(key in draws for key in keys) or len({len(draws[key]) for key in keys}) != 1:
        return None
    return best_of_many([mine[key] for key in keys], [draws[key] for key in keys])


def find_best(rows: Iterable[CellRow], subject: str, model: str | None = None) -> Best:
    """The best of one task or family, over all models unless one is named."""
    known = best_recipes(rows)
    mine = [best for best in known if best.subject == subject and model in (None, best.model)]
    if not mine:
        raise unknown_name("task or family of this run", subject, dict.fromkeys(best.subject for best in known))
    return max(mine, key=lambda best: best.score)


def named_fields(name: str, model: str, meant: Meanings) -> Fields:
    """The columns of a named recipe in a run."""
    recipe = Recipe.named_when(name, tuned=meant.tuned)
    numbers = {"first": meant.first, "last": meant.last}
    chosen = sorted({numbers[str(layer)] for layer, _ in recipe.layers})
    _, template, _, weights, shape, mix = recipe.fields
    return model, template, "+".join(map(str, chosen)), weights, shape, mix
