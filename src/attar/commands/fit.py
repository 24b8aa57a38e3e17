"""attar fit"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import click

from attar.commands.choices import Choices, embedder_options
from attar.commands.corpora import background_options, read_background
from attar.commands.executor_choice import ExecutorChoice, executor_options
from attar.commands.suited_choice import check_enough, fit_anyway_option
from attar.commands.text_limit import text_limit_option
from attar.errors import InputError
from attar.io.plural import number_of
from attar.io.reading import read_texts

if TYPE_CHECKING:
    from attar.corpus.fitting.learning import Quantiles
    from attar.embedder import Embedder

log = logging.getLogger("attar")


@click.command(
    epilog="""\b
Examples:
  attar fit --recipe similarity --on texts.txt -o my-recipe
  attar fit --model ./bert-base-uncased --layers 1,12 --weights idf --shape zscore,unit --on texts.txt -o my-recipe
  attar fit --weights idf@background --shape whiten --on texts.txt --background wiki.txt.gz -o my-recipe
  attar fit --recipe similarity --on 'in/*.parquet' --executor ray --address 10.0.0.5:6379 -o my-recipe
  attar encode more.txt --recipe my-recipe -o vectors.npy
"""
)
@click.option(
    "--on", "on", metavar="TEXTS", required=True, help="The texts to learn from: those to be embedded, or like them."
)
@click.option("-o", "--output", metavar="FOLDER", required=True, help="Where to save the recipe.")
@click.option("--column", metavar="NAME", help="The column of texts in .csv, .tsv, .jsonl or .parquet.")
@text_limit_option
@background_options
@click.option(
    "--quantiles",
    type=click.Choice(["sample", "kll"]),
    help="With --executor: from a sample of 100,000 texts (default), or from sketches of all.",
)
@click.option("--overwrite", is_flag=True, help="Replace the folder if it holds an earlier recipe.")
@fit_anyway_option
@executor_options
@embedder_options
def fit(
    on: str,
    output: str,
    column: str | None,
    background: str | None,
    sentences: bool,
    quantiles: Quantiles | None,
    overwrite: bool,
    fit_anyway: bool,
    choices: Choices,
    executor: ExecutorChoice,
) -> None:
    """Learn a recipe's counts and moments from texts and save it. Nothing is trained.

    With --executor, TEXTS may be a quoted pattern of files of any size: they are read in shards, by processes of this
    machine or by a Ray cluster, and a run that was stopped continues when it is started again.
    """
    from pathlib import Path

    from attar.io.atomic import check_target_folder
    from attar.persist import RECIPE

    if quantiles is not None and executor.name is None:
        raise InputError(f"--quantiles {quantiles} is for work in shards: add --executor local or --executor ray")
    check_target_folder(Path(output), RECIPE, overwrite=overwrite)
    if executor.name is None:
        corpus = read_background(background, column, sentences=sentences)
    else:
        corpus = _no_splitting(background, sentences)
    embedder = choices.embedder(corpus)
    if hasattr(embedder, "weights_"):
        raise InputError(f"{choices.recipe!r} is fitted already; give a named recipe or options instead")
    if executor.name is not None:
        fit_shards(embedder, on, background, output, quantiles or "sample", overwrite, column, executor)
        return
    texts = list(read_texts(on, column))
    if not texts:
        raise InputError(f"{on!r} holds no texts")
    check_enough(embedder, len(corpus or texts), fit_anyway)
    embedder.fit(texts, background=corpus)
    embedder.save(output, overwrite=overwrite)
    log.info("saved the recipe %s, fitted on %s, to %s", embedder.recipe.id, number_of(len(texts), "text"), output)


def _no_splitting(background: str | None, sentences: bool) -> list[str] | None:
    """Shards read the background themselves; that there is one is all that the recipe needs to know."""
    if sentences:
        raise InputError("--sentences does not go with --executor: give a background corpus of one sentence per line")
    return None if background is None else []


def fit_shards(
    embedder: Embedder,
    on: str,
    background: str | None,
    output: str,
    quantiles: Quantiles,
    overwrite: bool,
    column: str | None,
    choice: ExecutorChoice,
) -> None:
    """The same for a corpus that outgrows memory or one machine."""
    from attar.corpus import fit_corpus

    with choice.open() as executor:
        fit_corpus(
            embedder,
            [on],
            output,
            executor,
            background=[] if background is None else [background],
            shards=choice.shards,
            column=column,
            quantiles=quantiles,
            overwrite=overwrite,
        )
    assert embedder.fitted_on_.target is not None
    n = embedder.fitted_on_.target.texts
    log.info("saved the recipe %s, fitted on %s, to %s", embedder.recipe.id, number_of(n, "text"), output)
