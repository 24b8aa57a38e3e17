"""attar static"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from attar.commands.executor_choice import ExecutorChoice, executor_options
from attar.commands.running import Running, running_options
from attar.commands.text_limit import text_limit_option
from attar.errors import InputError, OutputError
from attar.io.plural import number_of
from attar.io.through import is_stream

if TYPE_CHECKING:
    from attar.encoders.table import Table
    from attar.layers import LayerChoice
    from attar.types import Encoder

log = logging.getLogger("attar")


@click.command(
    epilog="""\b
Examples:
  attar static --model ./bert-base-uncased --on wikitext.txt.gz --sentences --layers first,last -o my-table
  attar static --model ./bert-base-uncased --on 'in/*.parquet' --executor ray --address 10.0.0.5:6379 -o my-table
  attar encode texts.txt --model my-table --weights idf --shape zscore -o vectors.npy
  attar static --zipfian --model glove.6B.50d.txt --on wikitext.txt.gz -o glove-whitened
"""
)
@click.option(
    "--model", metavar="DIR|NAME", help="A model folder, GGUF file or hub name. Default: the embedded MiniLM."
)
@click.option(
    "--on", "corpus", required=True, metavar="CORPUS", help="Texts to average over, one text per line or --column."
)
@click.option("--layers", default="first,last", show_default=True, metavar="LIST", help="All from one pass; or all.")
@click.option("-o", "--output", required=True, metavar="FOLDER", help="Where to save the table.")
@click.option(
    "--zipfian",
    is_flag=True,
    help="MODEL is a table or word vectors: whiten its rows, each as often as its token occurs in CORPUS.",
)
@click.option("--sentences", is_flag=True, help="Lines are paragraphs: split them into sentences first.")
@click.option("--column", metavar="NAME", help="The column of texts in .csv, .tsv, .jsonl or .parquet.")
@text_limit_option
@click.option("--max-tokens", type=int, metavar="N", help="Cut texts at N tokens instead of at the model's limit.")
@click.option("--overwrite", is_flag=True, help="Replace the folder if it holds an earlier table.")
@executor_options
@running_options
def static(
    model: str | None,
    corpus: str,
    layers: str,
    output: str,
    zipfian: bool,
    sentences: bool,
    column: str | None,
    max_tokens: int | None,
    overwrite: bool,
    executor: ExecutorChoice,
    running: Running,
) -> None:
    """Make a static model: each token's vector is its mean over a corpus, at every layer asked for, from one pass.

    The table encodes without torch. Which of its layers to use is chosen when encoding. When it is stopped, the sums of
    all but the last seconds are kept in FOLDER.sums, and the same command continues from there. With --executor, CORPUS
    may be a quoted pattern of files of any size, summed in shards by processes of this machine or a Ray cluster.
    """
    from attar.encoders.formats.table_folder import ABOUT
    from attar.encoders.table import Table
    from attar.encoders.transformer import Transformer
    from attar.io.atomic import check_target_folder
    from attar.layers import parse_layers

    target = Path(output)
    if zipfian:
        if executor.name is not None or max_tokens is not None or running != Running():
            raise InputError(
                "--zipfian counts tokens here, cuts nothing and runs no transformer: leave out --executor, "
                "--max-tokens, --threads, --precision and --device"
            )
        _whiten_rows(model, _Texts(corpus, column, sentences), target, overwrite=overwrite)
        return
    check_target_folder(target, ABOUT, overwrite=overwrite)
    encoder = running.of(Transformer(model, max_tokens=max_tokens))
    wanted = tuple(range(encoder.n_layers + 1)) if layers == "all" else parse_layers(layers)
    if executor.name is not None:
        table = _average_shards(encoder, corpus, target, wanted, column, sentences, overwrite, executor)
    else:
        sums = target.with_name(target.name + ".sums")
        texts = _Texts(corpus, column, sentences)
        if not len(texts):
            raise InputError(f"{corpus!r} holds no texts")
        try:
            table = Table.average(encoder, texts, wanted, checkpoint=sums)
        except KeyboardInterrupt:
            if sums.exists():
                log.info("the sums of all but the last seconds are in %s: the same command continues from there", sums)
            raise
        try:
            table.save(target, overwrite=overwrite)
        except OutputError:
            if (
                not overwrite and (target / ABOUT).exists()
            ):  # another run was faster: nothing can continue from the sums
                sums.unlink(missing_ok=True)
            raise
        sums.unlink(missing_ok=True)
    made = table.made
    log.info(
        "saved layers %s of %s tokens to %s: %s seen in %s, %s never seen and given their input embedding",
        ",".join(map(str, table.layers)),
        f"{len(table.vocabulary):,}",
        output,
        f"{made['seen']:,}",
        number_of(made["texts"], "text"),
        f"{made['unseen']:,}",
    )
    if made["truncated"]:
        advice = "" if sentences else "; --sentences may help"
        log.warning("cut at the model's limit: %s%s", number_of(made["truncated"], "text"), advice)


def _whiten_rows(model: str | None, texts: _Texts, target: Path, *, overwrite: bool) -> None:
    """The rows of a static table, whitened under the frequencies of their tokens."""
    from attar.encoders.opening import open_encoder
    from attar.encoders.zipfian import zipfian

    if model is None:
        raise InputError("--zipfian needs --model, a static table or word vectors: the embedded model is a transformer")
    made = zipfian(open_encoder(model), texts)
    made.save(target, overwrite=overwrite)
    log.info("saved the whitened rows to %s: tokens were counted in %s", target, number_of(len(texts), "text"))


def _average_shards(
    encoder: Encoder,
    corpus: str,
    target: Path,
    layers: LayerChoice,
    column: str | None,
    sentences: bool,
    overwrite: bool,
    choice: ExecutorChoice,
) -> Table:
    from attar.corpus import average_corpus

    with choice.open() as executor:
        return average_corpus(
            encoder,
            [corpus],
            target,
            executor,
            layers=layers,
            shards=choice.shards,
            column=column,
            sentences=sentences,
            overwrite=overwrite,
        )


class _Texts:
    """A corpus that can be read twice: once to count it (for the time left), and once to process it."""

    def __init__(self, source: str, column: str | None, sentences: bool) -> None:
        if source == "-" or is_stream(Path(source)):
            raise InputError("a corpus is read twice and can't come from stdin, a pipe or a device; give a file")
        self._source, self._column, self._sentences = source, column, sentences
        self._n = sum(1 for _ in self)

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[str]:
        from attar.io.reading import read_texts
        from attar.tokens.sentences import sentences

        if self._sentences:
            return sentences(self._source)
        return read_texts(self._source, self._column)
