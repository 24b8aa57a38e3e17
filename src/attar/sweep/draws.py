"""What recipes reach on resamples of rows, and what shaping does to them: recipes compared on the same rows."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from attar import shapers
from attar.enough import Few, few_for_shaping
from attar.errors import AttarError
from attar.recipe.text import NONE
from attar.scores.comparison import Difference, difference
from attar.sweep.store import CellRow
from attar.sweep.subjects import SMALLER_IS_BETTER
from attar.tasks import FAMILIES
from attar.types import Doubles

Fields = tuple[str, str, str, str, str, float]  # `CellRow.fields`


@dataclass(frozen=True)
class ShapingEffect:
    """What shapers do on a task or family: the mean over all recipes that the run has with and without them."""

    subject: str
    model: str
    shape: str
    gain: Difference  # below 0: it hurts
    n_recipes: int
    few: Few | None = None  # learned from few: the interval is over rows, and holds the fitted shapers still

    @property
    def hurts(self) -> bool:
        """Whether recipes surely lose by it."""
        return self.gain.high < 0

    @property
    def verdict(self) -> str:
        """What is sure of it: "hurts", "helps", or nothing; of few texts only that it hurts there."""
        if self.few is not None:
            return "hurts on so few texts" if self.hurts else "too few texts"
        return "hurts" if self.hurts else "helps" if self.gain.low > 0 else ""

    def __str__(self) -> str:
        low, high = sorted((-100 * self.gain.low, -100 * self.gain.high))
        return f"{self.shape} costs {-100 * self.gain.value:z.1f} ({low:z.1f} to {high:z.1f})"


def draws_by_recipe(rows: Iterable[CellRow]) -> dict[str, dict[Fields, Doubles]]:
    """For each task, and each family as the mean over its tasks, the draws of each recipe that has them all."""
    found: dict[str, dict[Fields, Doubles]] = defaultdict(dict)
    of_family: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        if row.score is not None:
            of_family[row.family][row.task] = None
            draws = row.draws
            if draws:
                found[row.task][row.fields] = np.array(draws)
    for family, tasks in of_family.items():
        if family in FAMILIES and family not in of_family[family]:
            shared = set.intersection(*(set(found[task]) for task in tasks))
            means = {key: [found[task][key] for task in tasks] for key in shared}
            found[family] = {k: np.mean(d, axis=0) for k, d in means.items() if len({len(x) for x in d}) == 1}
    return dict(found)


def few_texts(rows: Iterable[CellRow]) -> dict[tuple[str, str, str], Few]:
    """By task, model and shape what few texts it learned from, where they are too few to tell what more would do.

    Of a family that is the task with the fewest of the texts that it takes.
    """
    by_task: dict[tuple[str, str, str], Few | None] = {}
    family: dict[str, str] = {}
    tasks: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row.score is not None and row.family in FAMILIES:
            family[row.task] = row.family
            tasks[row.family].add(row.task)
            key = (row.task, row.model, row.shape)
            if row.shape != NONE and key not in by_task:
                by_task[key] = _few(row)
    found = {key: few for key, few in by_task.items() if few is not None}
    for (task, model, shape), few in tuple(found.items()):
        key = (family[task], model, shape)
        if key not in by_task and (key not in found or few.share < found[key].share):
            found[key] = replace(few, where=task) if len(tasks[family[task]]) > 1 else few
    return found


def _few(row: CellRow) -> Few | None:
    details = json.loads(row.details)
    counts = {"target": row.texts, "background": details["background_texts"]}
    try:
        chain = shapers.parse(row.shape)
    except AttarError:  # of a run from elsewhere
        return None
    return few_for_shaping(row.shape, chain, counts, details.get("dims"))


def shaping_effects(
    scores: Mapping[str, Mapping[Fields, float]],
    draws: Mapping[str, Mapping[Fields, Doubles]],
    few: Mapping[tuple[str, str, str], Few] | None = None,
) -> list[ShapingEffect]:
    """For every task, family and model: what each chain of shapers does to the recipes that the run has without it.

    Parameters
    ----------
    scores, draws
        By subject and recipe, as `scores_by_recipe` and `draws_by_recipe` give them.
    few
        What can't be told, as `few_texts` gives it.
    """
    found = []
    for subject, mine in draws.items():
        if subject in SMALLER_IS_BETTER:
            continue
        pairs: dict[tuple[str, str], list[tuple[Fields, Fields]]] = defaultdict(list)
        for key in mine:
            model, template, layers, weights, shape, mix = key
            bare = (model, template, layers, weights, NONE, mix)
            if shape != NONE and bare in mine and len(mine[key]) == len(mine[bare]):
                pairs[model, shape].append((key, bare))
        for (model, shape), of in sorted(pairs.items()):
            shaped, plain = (np.mean([mine[pair[side]] for pair in of], axis=0) for side in (0, 1))
            reached, before = (float(np.mean([scores[subject][pair[side]] for pair in of])) for side in (0, 1))
            gain = difference(reached, shaped, before, plain)
            found.append(ShapingEffect(subject, model, shape, gain, len(of), (few or {}).get((subject, model, shape))))
    return found
