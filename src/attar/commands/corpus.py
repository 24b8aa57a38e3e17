"""attar corpus"""

from __future__ import annotations

import logging

import click

from attar.commands.text_limit import text_limit_option
from attar.errors import InputError
from attar.io.plural import number_of

log = logging.getLogger("attar")


@click.command(
    epilog="""\b
Examples:
  attar corpus plain texts.txt -o vectors/
  attar corpus my-recipe 'in/*.parquet' -o vectors/ --executor ray --address 10.0.0.5:6379
  attar corpus my-recipe 'in/*.jsonl' --column body --id-column key --keep-text -o vectors/ --shards 200
  attar corpus --verify vectors/
"""
)
@click.argument("recipe", metavar="RECIPE")
@click.argument("texts", metavar="TEXTS...", nargs=-1)
@click.option("-o", "--output", metavar="FOLDER", help="Where the parts go: part-00000.parquet ... and a manifest.")
@click.option(
    "--executor",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Who works.",
)
@click.option("--on", "old_name", type=click.Choice(["local", "ray"]), hidden=True)
@click.option("--address", metavar="HOST:PORT", help="Of a Ray cluster. Default: RAY_ADDRESS, or one started here.")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Texts are embedded by N processes. Default: all.")
@click.option(
    "--shards",
    type=click.IntRange(1),
    metavar="N",
    help="Parts to make. Default: up to 100,000 rows in each, and several for few rows.",
)
@click.option("--model", metavar="DIR|NAME", help="Another model than the recipe's own.")
@click.option("--column", metavar="NAME", help="The column of texts in .csv, .tsv, .jsonl or .parquet.")
@text_limit_option
@click.option("--id-column", metavar="NAME", help="The column of ids. Default: `id` if all inputs have it, or numbers.")
@click.option("--keep-text", is_flag=True, help="Write the texts too.")
@click.option("--overwrite", is_flag=True, help="Empty the folder first; an unfinished run of the same job continues.")
@click.option("--verify", is_flag=True, help="Embed nothing: check the parts in FOLDER against their checksums.")
def corpus(
    recipe: str,
    texts: tuple[str, ...],
    output: str | None,
    executor: str,
    old_name: str | None,
    address: str | None,
    workers: int | None,
    shards: int | None,
    model: str | None,
    column: str | None,
    id_column: str | None,
    keep_text: bool,
    overwrite: bool,
    verify: bool,
) -> None:
    """Embed a corpus of any size: TEXTS to Parquet parts with the columns id and vector, rows in order.

    RECIPE is a recipe folder, a named recipe (plain), or the folder of a model or static table. TEXTS are files or
    quoted patterns: .txt, .jsonl, .csv, .tsv (also .gz) and .parquet. Stop and rerun freely: what is done is kept.
    """
    from attar.corpus import embed_corpus, verify_corpus
    from attar.corpus.executors import open_executor

    if verify:
        manifest = verify_corpus(output or recipe)
        log.info("intact: %s in %s", number_of(manifest["rows"], "vector"), number_of(len(manifest["parts"]), "part"))
        return
    if not texts or output is None:
        raise InputError("attar corpus wants RECIPE, TEXTS and -o FOLDER, such as: attar corpus plain texts.txt -o out")
    if old_name is not None:
        log.warning("--on %s is now called --executor %s; the old name still works", old_name, old_name)
    with open_executor(old_name or executor, workers=workers, address=address) as opened:
        manifest = embed_corpus(
            recipe,
            texts,
            output,
            opened,
            model=model,
            shards=shards,
            column=column,
            id_column=id_column,
            keep_text=keep_text,
            overwrite=overwrite,
        )
    vectors, parts = number_of(manifest["rows"], "vector"), number_of(len(manifest["parts"]), "part")
    log.info("wrote %s in %s to %s", vectors, parts, output)
