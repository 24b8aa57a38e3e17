"""attar export"""

from __future__ import annotations

import logging

import click

from attar.commands.choices import TableOption

log = logging.getLogger("attar")


@click.command(
    epilog="""\b
Examples:
  attar export my-recipe --to sentence-transformers -o my-model
  attar export my-recipe --to onnx -o my-graph
  attar export my-table-recipe --to model2vec -o my-static-model
  attar export plain --model ./bert-base-uncased --to sentence-transformers -o bert-mean
"""
)
@click.argument("recipe", metavar="RECIPE")
@click.option(
    "--to",
    "to",
    metavar="FORMAT",
    required=True,
    cls=TableOption,
    table="attar.exports:FORMATS",
    help="{members}.",
)
@click.option("-o", "--output", metavar="FOLDER", required=True, help="The folder to write.")
@click.option("--model", metavar="DIR|NAME", help="The model, where it has moved or the recipe is a named one.")
@click.option("--overwrite", is_flag=True, help="Replace the folder if it holds an earlier export.")
def export(recipe: str, to: str, output: str, model: str | None, overwrite: bool) -> None:
    """Write RECIPE as a folder that runs in other libraries, without attar.

    RECIPE is a folder that `attar fit` wrote, or a named recipe or text form that has nothing to learn. The
    folder gives the same vectors; what a format can't hold is refused.
    """
    from pathlib import Path

    from attar.embedder import open_embedder
    from attar.errors import InputError, NotFittedError, unknown_name
    from attar.exports import FORMATS, check_target
    from attar.exports import export as write

    if to not in FORMATS:
        raise unknown_name("export format", to, FORMATS)
    check_target(Path(output).expanduser(), overwrite=overwrite)
    embedder = open_embedder(recipe, model)
    try:
        notes = write(embedder, to, output, overwrite=overwrite)
    except NotFittedError as error:
        learners = str(error).partition(":")[0]
        learned = f"attar fit --recipe {recipe} --on FILE -o FOLDER"
        raise InputError(f"{learners}: `{learned}`, then export that folder") from None
    for note in notes:
        log.info("%s", note)
    log.info("wrote the recipe %s as a folder for %s to %s", embedder.recipe.id, to, output)
