"""attar search"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING

import click

from attar.commands.text_limit import text_limit_option
from attar.errors import InputError
from attar.io.reading import read_texts

if TYPE_CHECKING:
    from attar.jobs.index import Hit, Index

QUERIES_AT_ONCE = 256


@click.command(
    epilog="""\b
Examples:
  attar search my-index "how do I undo a commit?"
  attar search my-index "how do I undo a commit?" --top 10 --why
  attar search my-index --queries questions.txt --json > found.jsonl
  attar search my-index                              asks for one query after the other
"""
)
@click.argument("index", metavar="INDEX")
@click.argument("words", metavar="[QUERY]", nargs=-1)
@click.option(
    "--queries", metavar="FILE", help="A file of queries (.txt, .jsonl, .csv, .tsv, .parquet), or - for stdin"
)
@click.option("--column", metavar="NAME", help="The column of queries in that file.")
@text_limit_option
@click.option("--top", type=click.IntRange(min=1), default=5, show_default=True, help="How many documents to show.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per query.")
@click.option("--exact", is_flag=True, help="Compare with all documents, also where the index has a graph.")
@click.option("--why", is_flag=True, help="Show which words make each document close.")
@click.option("--model", metavar="DIR|NAME", help="Where the model is now, if it has moved.")
def search(
    index: str,
    words: tuple[str, ...],
    queries: str | None,
    column: str | None,
    top: int,
    as_json: bool,
    exact: bool,
    why: bool,
    model: str | None,
) -> None:
    """Find the documents of INDEX that are nearest to QUERY, by the cosine of their vectors."""
    from attar.jobs.opening import open_index

    query = " ".join(words) if words else None  # without quotes, a query comes word by word
    if query is not None and queries is not None:
        raise InputError(f"the query {query!r} and --queries {queries!r} can't both be given; give one of them")
    if query is not None and not query.strip():
        raise InputError(f"the query {query!r} is empty; give the words to look for")
    opened = open_index(index, model)
    asked = [query] if query is not None else read_texts(queries, column) if queries is not None else _typed()
    at_once = QUERIES_AT_ONCE if queries is not None else 1
    n = 0
    for several in _batches(asked, at_once):
        n += len(several)
        for one, hits in zip(several, opened.search_all(several, top, exact=exact), strict=True):
            click.echo(_json(one, hits, opened, why) if as_json else _shown(one, hits, opened, why))
    if queries is not None and not n:
        raise InputError(f"{queries!r} holds no texts")


def _typed() -> Iterator[str]:
    """Queries as they are typed, until the input ends or a line is empty."""
    while True:
        if sys.stdin.isatty():
            click.echo("query> ", nl=False, err=True)
        line = sys.stdin.readline().strip()
        if not line:
            return
        yield line


def _batches(queries: Iterable[str], size: int) -> Iterator[list[str]]:
    iterator = iter(queries)
    while batch := list(islice(iterator, size)):
        yield batch


def _json(query: str, hits: list[Hit], index: Index, why: bool) -> str:
    found = [asdict(hit) for hit in hits]
    if why:
        for one, hit in zip(found, hits, strict=True):
            one["why"] = index.embedder.explain(query, hit.text).to_json()
    return json.dumps({"query": query, "hits": found}, ensure_ascii=False)


def _shown(query: str, hits: list[Hit], index: Index, why: bool) -> str:
    """A line per document, cut at the width of the terminal."""
    width = shutil.get_terminal_size((100, 24)).columns
    lines = [f"{query}"]
    if not hits:
        lines.append("  nothing is near: the query has no word that the model knows")
    id_width = max((len(str(hit.id)) for hit in hits), default=0)
    for hit in hits:
        front = f"  {hit.cosine:6.3f}  {str(hit.id).rjust(id_width)}  "
        text = " ".join(hit.text.split())
        room = max(width - len(front), 30)
        lines.append(front + (text if len(text) <= room or not sys.stdout.isatty() else text[: room - 1] + "…"))
        if why:
            from attar.jobs.explained_text import best_pairs

            lines.append(" " * len(front) + best_pairs(index.embedder.explain(query, hit.text)))
    return "\n".join(lines) + "\n"
