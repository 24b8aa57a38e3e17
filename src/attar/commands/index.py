"""attar index"""

from __future__ import annotations

import logging
from itertools import chain
from pathlib import Path

import click

from attar.commands.choices import Choices, embedder_options
from attar.commands.suited_choice import check_enough, fit_anyway_option, suited_embedder
from attar.commands.text_limit import text_limit_option
from attar.enough import FEW
from attar.errors import InputError
from attar.io.plural import number_of
from attar.io.progress import bar
from attar.io.reading import count_texts

log = logging.getLogger("attar")


@click.command(
    epilog="""\b
Examples:
  attar index documents.parquet -o my-index
  attar index documents.csv --column body --id-column url --recipe similarity -o my-index
  attar index documents.txt --model ./bert-base-uncased -o my-index
  attar index more.jsonl --add -o my-index
  attar index millions.parquet --approximate -o my-index
  attar search my-index "how do I undo a commit?"
"""
)
@click.argument("texts", metavar="TEXTS")
@click.option("-o", "--output", metavar="INDEX", required=True, help="The folder of the index.")
@click.option("--column", metavar="NAME", help="The column of texts in .csv, .tsv, .jsonl or .parquet.")
@text_limit_option
@click.option("--id-column", metavar="NAME", help="The column of ids. Default: id, if there is one; else row numbers.")
@click.option("--add", is_flag=True, help="Put TEXTS into an index that exists, by its own recipe, without refitting.")
@click.option("--overwrite", is_flag=True, help="Replace the folder if it holds an earlier index.")
@click.option(
    "--approximate/--exact",
    default=None,
    help="Make a graph that answers queries without comparing all texts, or none. Default: beyond a million texts.",
)
@fit_anyway_option
@embedder_options
def index(
    texts: str,
    output: str,
    column: str | None,
    id_column: str | None,
    add: bool,
    overwrite: bool,
    approximate: bool | None,
    fit_anyway: bool,
    choices: Choices,
) -> None:
    """Embed TEXTS once and keep them with their vectors, ids and the fitted recipe, for `attar search`.

    Without --recipe, a model that was tuned for sentences gives its plain mean; any other one gets the recipe
    `similarity`, which learns from TEXTS. A run that was killed goes on when it is started again.
    """
    from attar.io.atomic import check_target_folder
    from attar.jobs.building import build_folder
    from attar.jobs.documents import read_documents
    from attar.jobs.graph_file import check_installed
    from attar.jobs.index_files import ABOUT

    if approximate:
        check_installed()
    if add and overwrite:
        raise InputError("--add puts texts into an index and --overwrite replaces it; give one of them")
    if add:
        _add(texts, output, column, id_column, approximate, choices)
        return
    check_target_folder(Path(output), ABOUT, overwrite=overwrite)
    rows = read_documents(texts, column, id_column)
    first = [row for _, row in zip(range(FEW), rows, strict=False)]
    if not first:
        raise InputError(f"{texts!r} holds no texts")
    embedder = suited_embedder(choices, "similarity")
    check_enough(embedder, len(first), fit_anyway)
    with bar(count_texts(texts), "texts") as advance:
        about = build_folder(
            Path(output),
            embedder,
            chain(first, rows),
            overwrite=overwrite,
            approximate=approximate,
            advance=advance,
        )
    search = "approximate" if about.approximate else "exact"
    log.info("wrote an index of %s to %s; search is %s", number_of(about.n_rows, "text"), output, search)


def _add(
    texts: str, output: str, column: str | None, id_column: str | None, approximate: bool | None, choices: Choices
) -> None:
    from attar.jobs.documents import read_documents
    from attar.jobs.opening import open_index

    given = [n for n in ("recipe", "layers", "weights", "shape", "template") if getattr(choices, n) is not None]
    if given:
        raise InputError(f"--add goes by the index's own recipe; leave out {', '.join('--' + n for n in given)}")
    opened = open_index(output, choices.model)
    with bar(count_texts(texts), "texts") as advance:
        n = opened.add_rows(read_documents(texts, column, id_column, len(opened)), advance, approximate)
    log.info("added %s to %s, which now holds %s", number_of(n, "text"), output, f"{len(opened):,}")
