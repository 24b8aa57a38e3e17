"""attar duplicates"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attar.commands.choices import Choices, embedder_options
from attar.commands.suited_choice import check_enough, fit_anyway_option, suited_embedder
from attar.commands.text_limit import text_limit_option
from attar.errors import InputError
from attar.io.progress import bar

if TYPE_CHECKING:
    from attar.embedder import Embedder
    from attar.io.rows import Row
    from attar.jobs.documents import Documents
    from attar.jobs.duplicates import Duplicates
    from attar.types import Floats

log = logging.getLogger("attar")
COLUMNS = ("cosine", "group", "reason", "id", "other_id", "text", "other_text")


@click.command(
    epilog="""\b
Examples:
  attar duplicates texts.csv -o pairs.csv
  attar duplicates texts.csv -o pairs.csv --cleaned without-duplicates.csv
  attar duplicates train.jsonl test.jsonl -o leaks.csv --cleaned clean-train.jsonl
  attar duplicates texts.txt --threshold 0.95 -o pairs.csv
"""
)
@click.argument("texts", metavar="TEXTS")
@click.argument("other", metavar="[OTHER]", required=False)
@click.option(
    "-o", "--output", metavar="PAIRS.csv", required=True, help="A table of pairs: .csv, .tsv, .jsonl, .parquet."
)
@click.option("--cleaned", metavar="FILE", help="Write the rows of TEXTS that are to be kept, with all their columns.")
@click.option(
    "--threshold", type=float, metavar="COSINE", help="How close duplicates are. Default: advised from the texts."
)
@click.option("--column", metavar="NAME", help="The column of texts in .csv, .tsv, .jsonl or .parquet.")
@click.option("--other-column", metavar="NAME", help="The column of texts in OTHER. Default: that of --column.")
@text_limit_option
@click.option("--id-column", metavar="NAME", help="The column of ids. Default: id, if there is one; else row numbers.")
@fit_anyway_option
@embedder_options
def duplicates(
    texts: str,
    other: str | None,
    output: str,
    cleaned: str | None,
    threshold: float | None,
    column: str | None,
    other_column: str | None,
    id_column: str | None,
    fit_anyway: bool,
    choices: Choices,
) -> None:
    """Find near duplicates in TEXTS, or texts of TEXTS that are also in OTHER (a train set's in a test set).

    Two texts are near duplicates if the cosine of their vectors reaches the threshold. Without --threshold it is
    advised from the texts, and it is said how many pairs chance alone would bring. All pairs are compared.
    """
    from attar.io.atomic import check_not_read
    from attar.io.row_files import check_row_file, write_rows
    from attar.jobs.documents import Documents
    from attar.jobs.duplicates import check_threshold, find_duplicates, find_leaks

    if threshold is not None:
        check_threshold(threshold)
    for target in filter(None, (output, cleaned)):
        check_row_file(target)
        check_not_read(target, texts, other)
    if cleaned is not None and Path(cleaned).resolve() == Path(output).resolve():
        raise InputError(f"the pairs and the texts that stay can't both be written to {output!r}; name two files")
    if other_column is not None and other is None:
        raise InputError(f"--other-column {other_column!r} is of a second file, and there is none")
    held = Documents.read(texts, column, id_column)
    others = None if other is None else Documents.read(other, other_column or column, id_column)
    embedder = suited_embedder(choices, "similarity")
    check_enough(embedder, len(held), fit_anyway)
    encode = _encoder(embedder, held)
    with bar(None, "rows compared") as advance:
        if others is None:
            found = find_duplicates(held.texts, encode(held), threshold, advance)
        else:
            found = find_leaks(held.texts, encode(held), others.texts, encode(others), threshold, advance)
    write_rows(_table(found, held, others or held), output, COLUMNS)
    if cleaned is not None:
        write_rows([row for row, kept in zip(held.rows, found.kept, strict=True) if kept], cleaned, list(held.rows[0]))
    _report(found, output, cleaned)


def _encoder(embedder: Embedder, held: Documents) -> Callable[[Documents], Floats]:
    """What has to learn learns from the first file; texts of which the model knows nothing are near to nothing."""
    from attar.jobs.known import without_unknown

    if embedder.needs_fit and not embedder.__sklearn_is_fitted__():
        embedder.fit(held.texts, progress=True)

    def encode(documents: Documents) -> Floats:
        vectors = embedder.encode(documents.texts, progress=True)
        return without_unknown(vectors, embedder.encoder_, documents.texts)

    return encode


def _table(found: Duplicates, left: Documents, right: Documents) -> list[Row]:
    pairs, within = found.pairs, left is right
    columns = (pairs.left, pairs.right, pairs.cosines, found.groups(within), found.reasons(within))
    return [
        {
            "cosine": round(float(cosine), 4),
            "group": int(group),
            "reason": int(reason),
            "id": left.ids[i],
            "other_id": right.ids[j],
            "text": left.texts[i],
            "other_text": right.texts[j],
        }
        for i, j, cosine, group, reason in zip(*columns, strict=True)
    ]


def _report(found: Duplicates, output: str, cleaned: str | None) -> None:
    if found.advice is not None:
        log.info("%s", found.advice.sentence())
    dropped = int((~found.kept).sum())
    marked = " (the pairs with 1 in the column reason say why)" if dropped else ""
    log.info(
        "pairs, written to %s: %s; texts that may go: %s%s", output, f"{len(found.pairs):,}", f"{dropped:,}", marked
    )
    if cleaned is not None:
        log.info("texts that stay, written to %s: %s", cleaned, f"{len(found.kept) - dropped:,}")
