"""Texts from files, one at a time: .txt, .jsonl, .csv, .tsv (each also .gz) and .parquet; `-` is stdin."""

from __future__ import annotations

import csv
import json
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from attar.errors import InputError
from attar.io.bounds import bounded_line, check_text
from attar.io.columns import choose_column, kind_named, records
from attar.io.unpacked import DAMAGE, is_packed, open_unpacked

# files that people have, and what Attar reads instead
_OFFICE = {
    ".json": ".jsonl, one JSON object per line",
    **dict.fromkeys((".xlsx", ".xls", ".ods"), ".csv"),
    **dict.fromkeys((".docx", ".doc", ".odt", ".rtf", ".pdf"), ".txt, one text per line"),
}
_NO_TEXTS = (".npy", ".npz", ".safetensors", ".pt", ".bin", ".onnx")
log = logging.getLogger("attar")


def read_texts(source: str, column: str | None = None) -> Iterator[Any]:
    """The texts of a file, in order; blank lines are texts too, so that rows keep their places."""
    kind = kind_named(source)
    if kind == "parquet":
        yield from _parquet(existing_file(source), column)
        return
    with open_lines(source) as lines:
        yield from _READERS.get(kind or "text", _plain)(lines, source, column)


def count_texts(source: str) -> int | None:
    """How many texts a file holds, where that is quick to tell: of plain lines and of Parquet."""
    path = Path(source)
    try:
        if path.suffix.lower() == ".txt" and path.is_file() and not is_packed(path):
            return _count_lines(path)
        if path.suffix.lower() == ".parquet" and path.is_file():
            return _count_rows(path)
    except (OSError, ValueError):  # reading it will tell
        return None
    return None


def _count_lines(path: Path) -> int:
    n, block = 0, b"\n"
    with open(path, "rb") as file:
        while more := file.read(1 << 20):
            n, block = n + more.count(b"\n"), more
    return n + (not block.endswith(b"\n"))


def _count_rows(path: Path) -> int | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.read_metadata(path).num_rows)
    except pa.ArrowException:
        return None


def existing_file(source: str) -> Path:
    """The path of a file that is there."""
    path = Path(source)
    if path.suffix.lower() in _NO_TEXTS:
        raise InputError(f"{source!r} is no text: {path.suffix} holds arrays; give .txt, .csv, .jsonl or .parquet")
    if path.suffix.lower() in _OFFICE:
        raise InputError(f"{source!r} can't be read: save it as {_OFFICE[path.suffix.lower()]}, and give that")
    try:
        if path.is_dir():
            raise InputError(f"{source!r} is a folder; give a file of texts")
        if not path.exists():
            raise InputError(f"there is no file {source!r}")
    except OSError as error:
        raise InputError(f"can't read {source!r}: {error.strerror or error}") from None
    return path


@contextmanager
def open_lines(source: str) -> Iterator[Iterator[str]]:
    """Decoded lines without their ends; only a line feed ends a line, as everywhere but in str.splitlines."""
    if source == "-":
        yield _decoded(sys.stdin.buffer, source)
        return
    with open_input(source) as file:
        yield _decoded(file, source)


@contextmanager
def open_input(source: str) -> Iterator[IO[bytes]]:
    """A file of texts as bytes, unpacked if need be.

    Raises
    ------
    InputError
        Where there is no such file or it can't be opened.
    """
    with ExitStack() as stack:
        try:
            file = stack.enter_context(open_unpacked(existing_file(source)))
        except OSError as error:
            raise InputError(f"can't read {source!r}: {error.strerror or error}") from None
        yield file


def _decoded(file: IO[bytes], source: str) -> Iterator[str]:
    number = 0
    try:
        for number, line in enumerate(iter(lambda: bounded_line(file, source), b""), 1):
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            yield text.removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        reason = f"{error.reason} at byte {error.start}"
        raise InputError(f"line {number} of {source!r} is not UTF-8: {reason}; save it as UTF-8") from None
    except (OSError, *DAMAGE) as error:
        raise InputError(f"can't read {source!r} beyond line {number}: {error}") from None


def _plain(lines: Iterator[str], source: str, column: str | None) -> Iterator[str]:
    if column is not None:
        raise InputError(f"{source!r} is plain text, one text per line, and has no column {column!r}")
    yield from lines


def _jsonl(lines: Iterator[str], source: str, column: str | None) -> Iterator[Any]:
    blank = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            blank += 1
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
    tell_blank(blank, source)


def tell_blank(n: int, source: str) -> None:
    """Say that lines were no rows, so that no one wonders where they are."""
    if n:
        log.warning("%s blank lines of %r hold no row and were left out", f"{n:,}", source)


def _separated(kind: str) -> Callable[[Iterator[str], str, str | None], Iterator[str]]:
    def read(lines: Iterator[str], source: str, column: str | None) -> Iterator[str]:
        rows = records((line + "\n" for line in lines), kind)
        try:
            header = next(filter(None, rows), None)
            if header is None:
                return
            at = header.index(choose_column(header, column, source))
            blank = 0
            for row in rows:
                if not row and len(header) > 1:
                    blank += 1
                    continue
                row = row or [""]  # of one column, a blank line is an empty text
                if len(row) != len(header):
                    raise InputError(
                        f"line {rows.line_num} of {source!r} has {len(row)} of the header's {len(header)} fields"
                    )
                yield row[at]
            tell_blank(blank, source)
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
                for value in batch.column(0):
                    text = value.as_py()
                    check_text(text, str(path))
                    yield text
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"can't read {str(path)!r}: {' '.join(str(error).split())[:200]}") from None


_READERS: dict[str, Callable[[Iterator[str], str, str | None], Iterable[Any]]] = {
    "jsonl": _jsonl,
    "csv": _separated("csv"),
    "tsv": _separated("tsv"),
}
