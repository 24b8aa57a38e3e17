"""attar groups"""

from __future__ import annotations

import logging
import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attar.commands.choices import Choices, embedder_options
from attar.commands.suited_choice import check_enough, fit_anyway_option, suited_embedder
from attar.commands.text_limit import text_limit_option
from attar.io.progress import bar, is_watched

if TYPE_CHECKING:
    from attar.jobs.documents import Documents
    from attar.jobs.groups import Groups
    from attar.jobs.projection import Projection
    from attar.types import Floats

log = logging.getLogger("attar")
LABELS, TABLE, MAP = "labels.csv", "groups.csv", "map.html"
LONG = 1_000  # texts whose map takes more than a few seconds to draw


@click.command(
    epilog="""\b
Examples:
  attar groups titles.txt -o my-groups
  attar groups reviews.csv --column body -k 12 -o my-groups
  attar groups titles.txt --model ./bert-base-uncased --projection pca -o my-groups
"""
)
@click.argument("texts", metavar="TEXTS")
@click.option("-k", "k", type=click.IntRange(min=1), metavar="N", help="How many groups. Default: found from texts.")
@click.option("-o", "--output", metavar="FOLDER", required=True, help="Gets labels.csv, groups.csv and map.html.")
@click.option(
    "--projection",
    type=click.Choice(["tsne", "pca"]),
    default="tsne",
    show_default=True,
    help="How the map is drawn. t-SNE keeps neighbours together; PCA takes a second.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default="0",
    metavar="N",
    help="The same seed gives the same groups and map.",
)
@click.option("--column", metavar="NAME", help="The column of texts in .csv, .tsv, .jsonl or .parquet.")
@text_limit_option
@click.option("--id-column", metavar="NAME", help="The column of ids. Default: id, if there is one; else row numbers.")
@click.option("--overwrite", is_flag=True, help="Replace the folder if it holds earlier groups.")
@fit_anyway_option
@embedder_options
def groups(
    texts: str,
    k: int | None,
    output: str,
    projection: Projection,
    seed: int,
    column: str | None,
    id_column: str | None,
    overwrite: bool,
    fit_anyway: bool,
    choices: Choices,
) -> None:
    """Sort TEXTS into groups, name each by its most telling words, and draw a map of them.

    Groups are found by k-means on vectors of length 1. Without -k, the number of groups is the one that parts them
    best, which is a guess: try others. The map is one HTML file that works without a network.
    """
    from attar.io.atomic import check_target_folder
    from attar.jobs.documents import Documents
    from attar.jobs.groups import check_number, find_groups

    check_target_folder(Path(output), TABLE, overwrite=overwrite)
    held = Documents.read(texts, column, id_column)
    check_number(k, len(held))
    embedder = suited_embedder(choices, "clustering")
    check_enough(embedder, len(held), fit_anyway)
    fresh = embedder.needs_fit and not embedder.__sklearn_is_fitted__()
    vectors = (embedder.fit_transform if fresh else embedder.encode)(held.texts, progress=True)
    with bar(None, "numbers of groups tried", k is None) as advance:
        found = find_groups(held.texts, vectors, k, seed, advance)
    if found.tried:
        log.info("number of groups found: %s; -k takes another", len(found.groups))
    for group in found.groups[:20]:
        click.echo(f"{group.size:>7,}  {group.name}")
    if len(found.groups) > 20:
        click.echo(f"         and {len(found.groups) - 20} more groups")
    if projection == "tsne" and len(held) >= LONG and is_watched():
        log.info("drawing the map, which takes a while; --projection pca is quicker")
    _write(output, held, found, vectors, projection, seed, overwrite, f"Groups of {Path(texts).name}")
    log.info("wrote %s, %s and %s to %s", LABELS, TABLE, MAP, output)


def _write(
    output: str,
    held: Documents,
    found: Groups,
    vectors: Floats,
    projection: Projection,
    seed: int,
    overwrite: bool,
    title: str,
) -> None:
    from attar.io.atomic import new_folder
    from attar.io.row_files import write_rows
    from attar.jobs.map_page import map_page
    from attar.jobs.projection import drawn_rows, project

    rows = drawn_rows(len(held), seed)
    page = map_page(held.texts, held.ids, found, rows, project(vectors[rows], projection, seed), title)
    with new_folder(Path(output), TABLE, overwrite=overwrite) as aside:
        write_rows(_labels(held, found), aside / LABELS)
        write_rows(_table(held, found), aside / TABLE)
        (aside / MAP).write_text(page, encoding="utf-8")


def _labels(held: Documents, found: Groups) -> list[dict[str, object]]:
    return [
        {
            "id": held.ids[i],
            "group": int(label),
            "name": found.groups[label].name,
            "cosine": round(float(found.cosines[i]), 4),
            "text": held.texts[i],
        }
        for i, label in enumerate(found.labels)
    ]


def _table(held: Documents, found: Groups) -> list[dict[str, object]]:
    return [
        {
            "group": group.number,
            "name": group.name,
            "size": group.size,
            "share": round(group.size / math.fsum(g.size for g in found.groups), 4),
            "words": ", ".join(group.words),
            "central_texts": " | ".join(held.texts[row] for row in group.central),
        }
        for group in found.groups
    ]
