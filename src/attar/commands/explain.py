"""attar explain"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attar.commands.choices import Choices, embedder_options
from attar.commands.suited_choice import check_enough, fit_anyway_option, suited_embedder
from attar.commands.text_limit import text_limit_option
from attar.errors import InputError, unknown_name
from attar.io.atomic import check_target_file, new_file
from attar.io.reading import read_texts
from attar.io.through import ending

if TYPE_CHECKING:
    from attar.explanation import Explanation

log = logging.getLogger("attar")


@click.command(
    epilog="""\b
Examples:
  attar explain "A cat sat on the mat." "The dog slept on a rug."
  attar explain "undo a commit" "revert my last push" --recipe my-recipe -o why.html
  attar explain "undo a commit" "revert my last push" --model ./bert-base-uncased --on titles.txt -o why.png
"""
)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--on", "on", metavar="TEXTS", help="Texts to learn from, where the recipe must learn.")
@click.option("--column", metavar="NAME", help="The column of texts in .csv, .tsv, .jsonl or .parquet.")
@text_limit_option
@click.option("-o", "--output", metavar="FILE", help="Write a page (.html) or a picture (.png) instead.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@fit_anyway_option
@embedder_options
def explain(
    a: str,
    b: str,
    on: str | None,
    column: str | None,
    output: str | None,
    as_json: bool,
    fit_anyway: bool,
    choices: Choices,
) -> None:
    """Show which words make the texts A and B close: their cosine, split into contributions of pairs of words.

    The contributions add up to the cosine. They are exact for the mean, weights, layers and all shapers but quantiles,
    whose contributions are those of a small change.
    """
    from attar.jobs.explained_text import in_terminal

    for name, text in (("A", a), ("B", b)):
        if not text.strip():
            raise InputError(f"the text {name} is empty: {text!r}; give words to explain")
    if output is not None and as_json:
        raise InputError(f"--json prints and -o {output!r} writes a page or picture; give one of them")
    if output is not None:
        _check_output(output)
    embedder = suited_embedder(choices, "similarity")
    if embedder.needs_fit and not embedder.__sklearn_is_fitted__():
        if on is None:
            raise InputError(
                "the recipe must learn from texts before it can explain two of them: give a saved recipe, or --on "
                "TEXTS, or --shape unit, which learns nothing"
            )
        texts = list(read_texts(on, column))
        check_enough(embedder, len(texts), fit_anyway)
        embedder.fit(texts, progress=True)
    explained = embedder.explain(a, b)
    if as_json:
        click.echo(json.dumps(explained.to_json(), ensure_ascii=False))
    elif output is not None:
        _write(output, explained)
    else:
        click.echo(in_terminal(explained, sys.stdout.isatty() and "NO_COLOR" not in os.environ))


def _check_output(output: str) -> None:
    form = ending(Path(output), of_streams=".html")
    if form not in (".html", ".png"):
        raise unknown_name("ending of the output file", form, (".html", ".png"))
    check_target_file(Path(output))


def _write(output: str, explained: Explanation) -> None:
    from attar.jobs.explained_page import as_page, write_figure

    if output.endswith(".png"):
        write_figure(explained, Path(output))
    else:
        with new_file(Path(output)) as aside:
            aside.write_text(as_page(explained), encoding="utf-8")
    log.info("wrote %s", output)
