"""attar encode"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from attar.commands.choices import Choices, embedder_options
from attar.commands.corpora import background_options, read_background
from attar.commands.suited_choice import check_enough, fit_anyway_option
from attar.commands.text_limit import text_limit_option
from attar.errors import InputError
from attar.io.plural import number_of
from attar.io.progress import bar
from attar.io.reading import count_texts, read_texts

if TYPE_CHECKING:
    from attar.embedder import Embedder
    from attar.types import Floats

log = logging.getLogger("attar")


@click.command(
    epilog="""\b
Examples:
  attar encode texts.txt -o vectors.npy
  attar encode reviews.csv --column body --recipe similarity -o vectors.parquet
  attar encode texts.txt --model ./bert-base-uncased --layers first,last --weights idf --shape zscore,unit -o v.npy
  attar encode texts.txt --model ./bert-base-uncased --template T4 -o v.npy
  attar encode texts.txt --recipe './bert-base-uncased | T4 | first,last | idf | abtt:1,unit' -o v.npy
  attar encode texts.txt --model smollm2.gguf --template eol --shape zscore -o v.npy
  attar encode news.csv --column body --keep-text --keep url,date -o news.parquet      ids, columns and vectors
  attar encode texts.txt --dims 128 -o small.npy
  cat texts.txt | attar encode - --recipe my-recipe > vectors.jsonl
"""
)
@click.argument("texts", metavar="TEXTS")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help=".npy, .npz, .parquet, .arrow, .safetensors or .jsonl. Default: JSON lines on stdout.",
)
@click.option("--column", metavar="NAME", help="The column of texts in .csv, .tsv, .jsonl or .parquet.")
@click.option("--keep-text", is_flag=True, help="Write the texts beside their vectors: .parquet, .arrow, .jsonl.")
@click.option("--keep", metavar="COLUMNS", help="Write these columns too, with commas between.")
@click.option(
    "--dims",
    type=click.IntRange(min=1),
    metavar="N",
    help="Keep the first N dims, of length 1 again where the recipe makes it so. --shape whiten:N learns N axes.",
)
@fit_anyway_option
@text_limit_option
@background_options
@embedder_options
def encode(
    texts: str,
    output: str | None,
    column: str | None,
    keep_text: bool,
    keep: str | None,
    dims: int | None,
    fit_anyway: bool,
    background: str | None,
    sentences: bool,
    choices: Choices,
) -> None:
    """Turn TEXTS into vectors, one row per text, in order.

    TEXTS is a file (.txt with one text per line, .jsonl, .csv, .tsv, .parquet; the first four also .gz) or - for stdin.
    What has to learn from texts (idf, z-score ...) learns from TEXTS itself, or from --background; a saved recipe has
    learned already.
    """
    from attar.io.atomic import check_not_read
    from attar.io.kept_columns import KeptColumns
    from attar.io.writing import check_target, print_vectors, write_vectors

    names = [name.strip() for name in (keep or "").split(",") if name.strip()]
    kept = KeptColumns(texts, column, names, keep_text) if names or keep_text else None
    if output is not None:
        check_target(output, columns=kept is not None)
        check_not_read(output, texts, background, choices.model, choices.recipe)
    corpus = read_background(background, column, sentences=sentences)
    embedder = choices.embedder(corpus)
    read = (lambda: read_texts(texts, column)) if kept is None else kept.texts
    vectors: Iterable[Floats] = _vectors(embedder, texts, read, corpus, fit_anyway)
    if dims is not None:
        vectors = map(_cut(dims, embedder), vectors)
    n = print_vectors(vectors, kept) if output is None else write_vectors(vectors, output, kept)
    if output is not None:
        length = " of length 1" if embedder.recipe.is_unit else ""
        log.info("wrote %s%s to %s", number_of(n, "vector"), length, output)
        if not length:
            log.info("their length is not 1: compare them by cosine, not by inner product, or add --shape unit")


def _cut(dims: int, embedder: Embedder) -> Callable[[Floats], Floats]:
    """Rows of fewer dims."""
    from attar.encode_options import EncodeOptions, check_dims

    if embedder.__sklearn_is_fitted__():  # else their number is known when it has learned
        check_dims(dims, embedder.get_sentence_embedding_dimension())
    return EncodeOptions(truncate_dim=dims, normalize_embeddings=embedder.recipe.is_unit).finished


def _vectors(
    embedder: Embedder,
    texts: str,
    read: Callable[[], Iterator[Any]],
    background: list[str] | None,
    fit_anyway: bool,
) -> Iterator[Floats]:
    """Chunks of vectors: streamed where nothing has to learn from the texts first."""
    if embedder.needs_fit and not hasattr(embedder, "weights_"):
        held = list(read())
        if not held:
            raise InputError(f"{texts!r} holds no texts")
        check_enough(embedder, len(background or held), fit_anyway)
        yield embedder.fit_transform(held, background=background, progress=True)
        return
    if background is not None and embedder.recipe.mix == 0:
        raise InputError("--background: nothing in this recipe is left to learn from texts")
    n = 0
    with bar(count_texts(texts), "texts") as advance:
        for rows in embedder.encode_chunks(read(), advance=advance):
            yield rows
            n += len(rows)
    if not n:
        raise InputError(f"{texts!r} holds no texts")
