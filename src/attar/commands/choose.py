"""attar choose"""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attar.commands.stopping import kept_in
from attar.commands.text_limit import text_limit_option
from attar.errors import InputError
from attar.io.plural import number_of
from attar.io.reading import read_texts

if TYPE_CHECKING:
    from attar.choosing.run import Talk

log = logging.getLogger("attar")
PURPOSES = ("similarity", "clustering", "search")
LEGEND = (
    "(* chosen: of the greatest value and sure to be better than the usual one, or else that one. recipe: template "
    "| layers | weights | shape; value: agreement on your texts with the recipes that are believed in; belief: by the "
    "probes and answers; probe, topics, trials: points of 100 on texts of this package; words, groups, votes, "
    "contrast, evenness: of your texts)"
)


@click.command(
    epilog="""\b
Examples:
  attar choose texts.txt --model ./mobilebert-uncased -o my-recipe
  attar choose texts.txt --model ./mobilebert-uncased --for clustering --ask 20 -o my-recipe
  attar choose texts.txt --ask 20 --web -o my-recipe            # writes my-recipe.html
  attar choose texts.txt --answers answers.jsonl -o my-recipe   # answers given there, or by others
  attar encode texts.txt --recipe my-recipe -o vectors.npy
"""
)
@click.argument("texts")
@click.option(
    "--model", metavar="DIR|NAME", help="A model folder, GGUF file or hub name. Default: the embedded MiniLM."
)
@click.option(
    "--for",
    "purpose",
    type=click.Choice(PURPOSES),
    default="similarity",
    show_default=True,
    help="What the vectors are for.",
)
@click.option(
    "--ask", type=click.IntRange(min=1), metavar="N", help="Ask at most N questions; 20 help most for similarity."
)
@click.option("--web", is_flag=True, help="With --ask: write a page that asks, instead of asking here.")
@click.option(
    "--answers",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Answers given before (JSON lines); may be repeated. With --ask the dialogue goes on.",
)
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FOLDER", help="Where to save the recipe."
)
@click.option(
    "--sample",
    type=click.IntRange(min=20),
    default=1000,
    show_default=True,
    metavar="N",
    help="Texts that go through the model for the choice; the recipe is fitted on all.",
)
@click.option("--column", metavar="NAME", help="The column of texts in .csv, .tsv, .jsonl or .parquet.")
@text_limit_option
@click.option("--keep", is_flag=True, help="Keep the pooled vectors beside the recipe, so that a later call is quick.")
@click.option("--overwrite", is_flag=True, help="Replace the folder if it holds an earlier recipe.")
def choose(
    texts: str,
    model: str | None,
    purpose: str,
    ask: int | None,
    web: bool,
    files: tuple[Path, ...],
    output: Path,
    sample: int,
    column: str | None,
    keep: bool,
    overwrite: bool,
) -> None:
    """Choose the recipe that suits these texts and this model: without labels, or with a few answers.

    A part of TEXTS goes once through the model for each template. Every candidate recipe is then judged by graded pairs
    and by texts on topics that come with this package, for clustering also by the groups that it finds among these, and
    by how its neighbours agree with those of the others. Where nothing is sure to be better, the plain recipe
    is kept, or the prompt of causal models. Stopped runs go on where they were.
    """
    from attar.choosing import ChooseSettings
    from attar.choosing import choose as run
    from attar.choosing.answers import read_answers
    from attar.choosing.chosen import table
    from attar.choosing.run import keep_work, remove_work
    from attar.io.atomic import check_target_folder
    from attar.persist import RECIPE

    if web and ask is None:
        raise InputError("--web writes a page that asks: say how many questions at most, such as --ask 20 --web")
    work = output.with_name(output.name + ".choosing")
    if (output / RECIPE).is_file() and not overwrite and not keep:
        remove_work(work)
    check_target_folder(output, RECIPE, overwrite=overwrite)
    given = [answer for path in files for answer in read_answers(path)]
    talk = _talk(ask, web, purpose, output)
    settings = ChooseSettings(purpose, sample, work, progress=True)
    with kept_in(work):
        chosen = run(list(read_texts(texts, column)), model, settings=settings, answers=given, talk=talk)
    if web:
        again = f"attar choose {texts} --answers answers.jsonl -o {output}"
        log.info("wrote %s.html; open it, answer, save, and run: %s (with the same options)", output, again)
        return
    for line in table(chosen.rows()):
        click.echo(line)
    log.info("%s", LEGEND)
    log.info("%s", chosen.reason())
    chosen.save(output, overwrite=overwrite, progress=True)
    if keep:
        keep_work(work)
    else:
        shutil.rmtree(work, ignore_errors=True)
    log.info("saved the recipe, fitted on %s, to %s", number_of(len(chosen.texts), "text"), output)


def _talk(ask: int | None, web: bool, purpose: str, output: Path) -> Talk | None:
    from attar.choosing.page import PageTalk, check_page
    from attar.choosing.terminal import TerminalTalk, check_terminal

    if ask is None:
        return None
    if web:
        page = output.with_name(output.name + ".html")
        check_page(page)
        return PageTalk(ask, purpose, page)
    check_terminal()
    return TerminalTalk(ask, purpose, output.with_name(output.name + ".answers.jsonl"))
