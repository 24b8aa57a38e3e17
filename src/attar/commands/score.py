"""attar score"""

from __future__ import annotations

import json
import logging
import sys
from dataclasses import asdict
from typing import Any

import click
from click.core import ParameterSource

from attar.commands.choices import Choices, TableOption, embedder_options
from attar.commands.corpora import background_options, read_background
from attar.commands.text_limit import text_limit_option
from attar.errors import DataError, InputError
from attar.io.progress import bar

log = logging.getLogger("attar")


@click.command(
    epilog="""\b
Examples:
  attar score plain --tasks sts --data DIR
  attar score ./bert-base-uncased --layers first,last --weights idf --shape zscore --tasks STS-B,SICK-R --data DIR
  attar score my-recipe --tasks tweet,MR --data DIR --json
  attar score random:./bert-base-uncased --tasks sts --data DIR
  attar score plain --tasks my-pairs.tsv
  attar score --tasks my-pairs.tsv --shape whiten    # of the embedded MiniLM
  attar score glove.6B.50d.txt --weights sif+english --shape common:10 --tasks STS-B --data DIR
  attar score ./mobilebert-uncased --tasks STS-B --data DIR --match bertscore
  attar score plain --tasks STS-B --data DIR --rank
"""
)
@click.argument("subject", metavar="[RECIPE|MODEL]", required=False)
@click.option(
    "--tasks",
    "wanted",
    default="sts",
    show_default=True,
    metavar="LIST",
    help="sts, clustering, classification, all, task names, or files of your own (FAMILY:FILE).",
)
@click.option("--data", metavar="DIR", help="The folder with the datasets.")
@text_limit_option
@background_options
@click.option(
    "--rows",
    default="published",
    show_default=True,
    type=click.Choice(["published", "any"]),
    help="Insist on the published number of rows, or take what is there.",
)
@click.option(
    "--match",
    "matching",
    metavar="NAME",
    cls=TableOption,
    table="attar.scores.matching:MATCHINGS",
    help="Similarity of pairs by matching tokens instead of by vectors, to see what one vector costs: {names}.",
)
@click.option(
    "--rank",
    "ranking",
    is_flag=True,
    help="Score pairs as EvalRank does: how high the partner of an equal text stands among all texts (MRR).",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print a JSON list of {task, metric, score, low, high, published, unshaped, gain_low, gain_high}.",
)
@embedder_options
def score(
    subject: str | None,
    wanted: str,
    data: str | None,
    background: str | None,
    sentences: bool,
    rows: Any,
    matching: str | None,
    ranking: bool,
    as_json: bool,
    choices: Choices,
) -> None:
    """Score a recipe or a model on tasks: Spearman x 100 or accuracy x 100, with its interval.

    What has to learn from texts learns from each task's own (both sides of pairs together) or from --background; a
    saved recipe has learned already. Without a recipe or model, options are about the embedded MiniLM.
    The paper's figure stands beside ours where it has one for the same method.
    Where shapers surely lose against the same recipe without them, a warning says how much.
    Exit code 2 if a task could not be scored.
    """
    from attar.evaluation import evaluate, evaluate_matching
    from attar.persist import is_recipe
    from attar.tasks import load, selected

    if matching is not None and ranking:
        raise InputError("--rank compares vectors, and --match has none: give one of them")
    corpus = read_background(background, sentences=sentences)
    if subject is None:
        if not _anything_given():
            raise InputError("say what to score: a recipe or a model, such as: attar score plain --data DIR")
        named = choices
    else:
        named = choices.about(recipe=subject) if is_recipe(subject) else choices.about(model=subject)
    names = selected(wanted)
    embedder = named.embedder(corpus)
    if named.recipe is None and named.model is None:
        log.info("no recipe or model is named: scoring the embedded MiniLM")
    results, failed = [], 0
    with bar(len(names), "tasks") as advance:
        for name in names:
            try:
                task = load(name, data, rows=rows)
                if matching is None:
                    results.append(evaluate(embedder, task, corpus, ranking=ranking))
                else:
                    results.append(evaluate_matching(embedder, task, matching, corpus))
            except (DataError, InputError) as error:
                failed += 1
                log.error("%s", error)
            advance(1)
    if as_json:
        click.echo(json.dumps([asdict(result) for result in results], ensure_ascii=False))
    else:
        click.echo(f"{'task':16} {'metric':10} {'score':>7}  {'95 % interval':>15}  {'published':>9}")
        for r in results:
            printed = "" if r.published is None else f"{r.published:.1f}"
            interval = f"{r.low:z.1f} to {r.high:z.1f}"
            click.echo(f"{r.task:16} {r.metric:10} {r.score:z7.1f}  {interval:>15}  {printed:>9}")
    for result in results:
        if result.warning is not None:
            log.warning("%s", result.warning)
    if failed:
        log.error("%d of %d tasks could not be scored", failed, len(names))
        sys.exit(2)


def _anything_given() -> bool:
    """Whether the command line says more than the name of the command."""
    context = click.get_current_context()
    return any(context.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in context.params)
