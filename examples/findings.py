"""What one change of a recipe does, over all recipes of sweeps that differ in nothing else.

    python examples/findings.py RUN... [--least 1] [--template none]

Of each family and model: the gain of a value over the usual one (idf over mean, T4 over none, layers 1+24 over 24 ...)
on the plain recipe, and its mean over all recipes that have both; 95 % intervals over the same resamples of rows;
the number of recipes, and the tasks of least and most gain. Then the best recipe of each family with what to expect of
it elsewhere, and the seconds that scoring took.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from attar.scores import difference
from attar.sweep.best import best_recipes, scores_by_recipe
from attar.sweep.draws import Fields, draws_by_recipe
from attar.sweep.meanings import meanings
from attar.sweep.store import CellRow, Store
from attar.tasks import FAMILIES
from attar.types import Doubles

FIELDS = {"template": 1, "layers": 2, "weights": 3, "shape": 4, "mix": 5}
USUAL = {"template": "none", "weights": "mean", "shape": "none", "mix": 0.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--least", type=int, default=1, help="leave out changes that fewer recipes have")
    parser.add_argument("--template", help="only its cells, and of these only the ones without Avg.")
    given = parser.parse_args()
    rows = [row for run in given.runs for row in read(run)]
    if given.template is not None:
        rows = [row for row in rows if row.template == given.template and row.mix == 0]
    for model in dict.fromkeys(row.model for row in rows):
        mine = [row for row in rows if row.model == model]
        show(model, mine, given.least)


def read(run: Path) -> list[CellRow]:
    with Store.of_run(run) as store:
        return [row for row in store.rows() if row.score is not None]


def show(model: str, rows: list[CellRow], least: int) -> None:
    scores, draws = scores_by_recipe(rows), draws_by_recipe(rows)
    last = meanings(rows)[model].last
    print(f"\n## {model}\n")
    print("| family | change | on plain | mean over recipes | recipes | worst task | best task |")
    print("|---|---|---|---|---|---|---|")
    for family in FAMILIES:
        tasks = sorted({row.task for row in rows if row.family == family})
        shared = {key: score for key, score in scores.get(family, {}).items() if key in draws.get(family, {})}
        for change, pairs in sorted(changes(shared, last).items()):
            if len(pairs) < least:
                continue
            gains = {task: mean_gain(scores[task], pairs) for task in tasks}
            ends = [f"{task} {gains[task]:+.1f}" for task in sorted(gains, key=gains.__getitem__)]
            alone = [pair for pair in pairs if is_plain(pair[1], last)]
            both = [told(shared, draws[family], some) for some in (alone, pairs)]
            print(f"| {family} | {change} | {both[0]} | {both[1]} | {len(pairs)} | {ends[0]} | {ends[-1]} |")
    print()
    for best in best_recipes(rows):
        if best.subject in FAMILIES:
            luck = ""
            if best.chosen is not None:
                luck = (
                    f", expect {100 * best.chosen.corrected:.1f} elsewhere, {int(best.chosen.tied.sum()) - 1} as good"
                )
            print(f"- {best.subject}: {100 * best.score:.1f} of {best.n_recipes} recipes{luck}: {best.recipe}")
    seconds: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        seconds[row.family].append(row.seconds)
    for family, spent in seconds.items():
        print(f"- scoring {family}: {len(spent)} cells, {sum(spent):.0f} s")


def told(scores: Mapping[Fields, float], draws: Mapping[Fields, Doubles], pairs: list[tuple[Fields, Fields]]) -> str:
    """The mean gain over pairs of recipes, with its interval; nothing where there are none."""
    if not pairs:
        return ""
    value, before = (float(np.mean([scores[pair[side]] for pair in pairs])) for side in (0, 1))
    drawn, drawn_before = (np.mean([draws[pair[side]] for pair in pairs], axis=0) for side in (0, 1))
    gain = difference(value, drawn, before, drawn_before)
    return f"{100 * gain.value:+.1f} ({100 * gain.low:+.1f} to {100 * gain.high:+.1f})"


def is_plain(key: Fields, last: int) -> bool:
    return key[1:] == ("none", str(last), "mean", "none", 0.0)


def changes(scores: Mapping[Fields, float], last: int) -> dict[str, list[tuple[Fields, Fields]]]:
    """By the name of a change, the pairs of recipes with and without it."""
    found: dict[str, list[tuple[Fields, Fields]]] = defaultdict(list)
    for key in scores:
        for name, before in plainer(key, last):
            if before in scores:
                found[name].append((key, before))
    return found


def plainer(key: Fields, last: int) -> Iterator[tuple[str, Fields]]:
    """The recipes with one field as usual; of layers, the last one."""
    for field, at in FIELDS.items():
        usual = str(last) if field == "layers" else USUAL[field]
        if key[at] != usual:
            before = list(key)
            before[at] = usual
            yield f"{field} {key[at]} over {usual}", tuple(before)  # type: ignore[misc]


def mean_gain(scores: Mapping[Fields, float], pairs: list[tuple[Fields, Fields]]) -> float:
    return float(100 * np.mean([scores[with_it] - scores[without] for with_it, without in pairs]))


if __name__ == "__main__":
    main()
