"""attar best"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attar.errors import InputError, unknown_name

if TYPE_CHECKING:
    from attar.sweep.best import Best

log = logging.getLogger("attar")


@click.command(
    epilog="""\b
Examples:
  attar best RUN
  attar best RUN --json | jq '.[0].recipe'
  attar best RUN --for sts --save my-recipe
  attar encode texts.txt --recipe ./my-recipe -o vectors.npy
"""
)
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--for", "subject", metavar="TASK|FAMILY", help="Only this one; needed with --save if there are several.")
@click.option("--model", metavar="NAME", help="Only recipes of this model.")
@click.option("--save", "folder", metavar="FOLDER", type=click.Path(path_type=Path), help="Write it as a recipe.")
@click.option("--data", metavar="DIR", type=click.Path(path_type=Path), help="Where the tasks are, if they have moved.")
@click.option("--overwrite", is_flag=True, help="Replace the folder if it holds an earlier recipe.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def best(
    run: Path,
    subject: str | None,
    model: str | None,
    folder: Path | None,
    data: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Show the best recipe of each family and task, and what each named recipe loses against it (its regret).

    A recipe is shown as text: model, template, layers, weights, shapers, and how much of Avg. is mixed in. The best of
    many is partly luck: below it stands what to expect of it elsewhere, and which shapers lose on the same rows.
    Of those that learned from few texts it says that more may do otherwise.
    """
    from attar.sweep.best import best_recipes, find_best, single_task_families
    from attar.sweep.run_checks import check_run
    from attar.sweep.save_best import Sources, save_best
    from attar.sweep.store import Store

    with Store.of_run(run) as store:
        rows = store.rows()
    check_run(rows, str(run))
    models = sorted({row.model for row in rows})
    if model is not None and model not in models:
        raise unknown_name("model of this run", model, models)
    chosen = [find_best(rows, subject, model)] if subject else best_recipes(rows)
    twice = single_task_families(rows) if subject is None else frozenset()
    chosen = [one for one in chosen if model in (None, one.model) and one.subject not in twice]
    if as_json:
        click.echo(json.dumps([_data(one) for one in chosen], indent=1))
    else:
        for one in chosen:
            click.echo(f"{one.subject:16} {100 * one.score:5.1f}  {one.recipe}")
            for line in _told(one):
                click.echo(f"{'':16} {line}")
    if folder is not None:
        if len(chosen) != 1:
            known = ", ".join(dict.fromkeys(one.subject for one in chosen))
            raise InputError(f"--save keeps one recipe, and there are {len(chosen)}; say which --for: {known}")
        embedder = save_best(chosen[0], rows, Sources.of_run(run, data), folder, overwrite=overwrite)
        log.info("saved the recipe %s to %s", embedder.recipe.id, folder)


def _told(best: Best) -> Iterator[str]:
    """What stands below the best recipe: what the choice is worth, what named recipes lose, which shapers hurt."""
    from attar.enough import told

    if best.chosen is not None and best.n_recipes > 1:
        tied = int(best.chosen.tied.sum()) - 1
        yield (
            f"chosen among {best.n_recipes:,} recipes, {tied:,} of the others not surely worse: expect "
            f"{100 * best.chosen.corrected:.1f} elsewhere"
        )
    lost = ", ".join(f"{name} {100 * regret:z.1f}{_interval(best, name)}" for name, regret in best.regrets.items())
    yield f"regret: {lost or 'the run has no cell of a named recipe'}"
    if best.hurts:
        yield f"shaping hurts here: {'; '.join(map(str, best.hurts))}"
    yield from told(best.untold)


def _interval(best: Best, name: str) -> str:
    found = best.sure_regrets.get(name)
    return "" if found is None else f" ({100 * found.low:z.1f} to {100 * found.high:z.1f})"


def _data(best: Best) -> dict[str, Any]:
    fields = dict(zip(("model", "template", "layers", "weights", "shape", "mix"), best.recipe.fields, strict=True))
    return {
        "subject": best.subject,
        "model": best.model,
        "recipe": fields | {"text": str(best.recipe)},
        "score": best.score,
        "n_tasks": best.n_tasks,
        "regrets": best.regrets,
        "regret_intervals": {name: [found.low, found.high] for name, found in best.sure_regrets.items()},
        "n_recipes": best.n_recipes,
        "n_tied": None if best.chosen is None else int(best.chosen.tied.sum()),
        "corrected": None if best.chosen is None else best.chosen.corrected,
        "hurts": [
            {"shape": one.shape, "gain": one.gain.value, "low": one.gain.low, "high": one.gain.high}
            for one in best.hurts
        ],
        "too_few_texts": [
            {"shape": one.shape, "texts": one.texts, "dims": one.dims, "wanted": one.wanted, "task": one.where or None}
            for one in best.untold
        ],
    }
