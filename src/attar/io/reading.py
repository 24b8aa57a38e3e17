"""Texts from files, one at a time: .txt, .jsonl, .csv, .tsv (each also .gz) and .parquet; `-` is stdin."""

from __future__ import annotations

import csv
import gzip
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal

from attar.errors import InputError

GZIP_MAGIC = b"\x1f\x8b"
COLUMNS = ("text", "sentence", "content")  # what a column of texts is called where none is named


def read_texts(source: str, column: str | None = None) -> Iterator[Any]:
    """The texts of a file, in order; blank lines are texts too, so that rows keep their places."""
    name = source.lower().removesuffix(".gz")
    kind = "." + name.rpartition(".")[2] if "." in Path(name).name else ""
    if kind == ".parquet" and source != "-":
        yield from _parquet(existing_file(source), column)
        return
    with open_lines(source) as lines:
        yield from _READERS.get(kind, _plain)(lines, source, column)


def count_texts(source: str) -> int | None:
    """How many texts a file holds, where that is quick to tell: of plain lines and of Parquet."""
    path = Path(source)
    if not path.is_file():
        return None
    if path.suffix.lower() == ".txt":
        n, block = 0, b"\n"
        with open(path, "rb") as file:
            while more := file.read(1 << 20):
                n, block = n + more.count(b"\n"), more
        return n + (not block.endswith(b"\n"))
    if path.suffix.lower() == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return int(pq.read_metadata(path).num_rows)
        except (pa.ArrowException, OSError):  # reading it will tell
            return None
    return None


def existing_file(source: str) -> Path:
    """The path of a file that is there."""
    path = Path(source)
    if path.is_dir():
        raise InputError(f"{source!r} is a folder; give a file of texts")
    if not path.exists():
        raise InputError(f"there is no file {source!r}")
    return path


@contextmanager
def open_lines(source: str) -> Iterator[Iterator[str]]:
    """Decoded lines without their ends; only a line feed ends a line, as everywhere but in str.splitlines."""
    file: Any
    if source == "-":
        file = sys.stdin.buffer
    else:
        try:
            path = existing_file(source)
            file = gzip.open(path, "rb") if source.lower().endswith(".gz") else open(path, "rb")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"can't read {source!r}: {error.strerror or error}") from None
    try:
        yield _decoded(file, source)
    finally:
        if source != "-":
            file.close()


def _decoded(file: IO[bytes], source: str) -> Iterator[str]:
    number = 0
    try:
        for number, line in enumerate(file, 1):
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            yield text.removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InputError(f"line {number} of {source!r} is not UTF-8: {error.reason} at byte {error.start}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"can't read {source!r} beyond line {number}: {error}") from None


def _plain(lines: Iterator[str], source: str, column: str | None) -> Iterator[str]:
    if column is not None:
        raise InputError(f"{source!r} is plain text, a text a line, and has no column {column!r}")
    yield from lines


def _jsonl(lines: Iterator[str], source: str, column: str | None) -> Iterator[Any]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"line {number} of {source!r} is not JSON: {error}") from None
        if isinstance(row, str) and column is None:
            yield row
            continue
        if not isinstance(row, dict):
            raise InputError(f"line {number} of {source!r} should be a JSON object with a text; it is {line[:60]!r}")
        column = column if column is not None else choose_column(list(row), None, source)
        if column not in row:
            raise InputError(f"line {number} of {source!r} has no column {column!r}; it has {', '.join(row)}")
        yield row[column]


def _separated(delimiter: str, quoting: Literal[0, 3]) -> Callable[[Iterator[str], str, str | None], Iterator[str]]:
    def read(lines: Iterator[str], source: str, column: str | None) -> Iterator[str]:
        csv.field_size_limit(sys.maxsize)
        rows = csv.reader((line + "\n" for line in lines), delimiter=delimiter, quoting=quoting, strict=True)
        try:
            header = next(filter(None, rows), None)
            if header is None:
                return
            at = header.index(choose_column(header, column, source))
            for row in filter(None, rows):  # of a blank line, nothing is left
                if len(row) != len(header):
                    raise InputError(
                        f"line {rows.line_num} of {source!r} has {len(row)} fields; the header has {len(header)}"
                    )
                yield row[at]
        except csv.Error as error:
            raise InputError(f"line {rows.line_num} of {source!r} can't be read: {error}") from None

    return read


def _parquet(path: Path, column: str | None) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            name = choose_column(file.schema_arrow.names, column, str(path))
            for batch in file.iter_batches(batch_size=8192, columns=[name]):
                yield from batch.column(0).to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"can't read {str(path)!r}: {' '.join(str(error).split())[:200]}") from None


def choose_column(names: Sequence[str], column: str | None, source: str) -> str:
    """The column of texts: the one named, or the first of `COLUMNS` that is there, or the only one."""
    if column is not None:
        if column not in names:
            raise InputError(f"{source!r} has no column {column!r}; it has {', '.join(names)}")
        return column
    found = [name for name in COLUMNS if name in names] or (list(names) if len(names) == 1 else [])
    if not found:
        raise InputError(
            f"which column of {source!r} holds the texts? It has {', '.join(names)}; name one with --column"
        )
    return found[0]


_READERS: dict[str, Callable[[Iterator[str], str, str | None], Iterable[Any]]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".csv": _separated(",", csv.QUOTE_MINIMAL),
    ".tsv": _separated("\t", csv.QUOTE_NONE),  # a quote is a quote
}
