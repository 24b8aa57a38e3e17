"""Rows of a file, (id, text) each, from any place on and never more than a few at a time."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import IO, Any

from attar.corpus.inputs.input_file import Slice, kind_of
from attar.errors import InputError
from attar.io.bounds import bounded_line, check_text
from attar.io.columns import records
from attar.io.reading import open_input
from attar.io.unpacked import DAMAGE

Row = tuple[Any, Any]  # (id, text); the id is None where there is no column of ids, or null in it
_PARQUET_ROWS, _PARQUET_BYTES = 8192, 1 << 24  # read at once


class Lines:
    """Decoded lines of a binary file, without their ends; `place` is the byte behind the last one taken."""

    def __init__(self, file: IO[bytes], path: str, place: int = 0) -> None:
        self.file, self.path, self.place = file, path, place

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        start = self.place
        try:
            line = bounded_line(self.file, self.path)
            self.place += len(line)
            text = line.decode("utf-8-sig" if start == 0 else "utf-8")
        except (OSError, *DAMAGE) as error:
            raise InputError(f"can't read {self.path!r} beyond byte {start}: {error}") from None
        except UnicodeDecodeError as error:
            reason = f"{error.reason} at byte {start + error.start}"
            raise InputError(f"{self.path!r} is not UTF-8: {reason}; save it as UTF-8") from None
        if not line:
            raise StopIteration
        return text.removesuffix("\n").removesuffix("\r")


def read_slice(part: Slice) -> Iterator[Row]:
    """The rows of a slice, of a file that is as long as it was when it was indexed."""
    _check_size(part)
    n = 0
    for n, (row_id, text) in enumerate(_rows(part), 1):
        if not isinstance(text, str):
            raise InputError(
                f"row {part.first + n - 1} of {part.path!r} is {text!r} ({type(text).__name__}), not a string"
            )
        yield row_id, text
    if n != part.rows:
        raise InputError(f"{part.path!r} ends at row {part.first + n}; {part.first + part.rows} rows were counted")
    _check_size(part)


def _check_size(part: Slice) -> None:
    try:
        size = os.stat(part.path).st_size
    except OSError as error:
        raise InputError(f"can't read {part.path!r}: {error.strerror or error}") from None
    if size != part.size:
        raise InputError(f"{part.path!r} has {size:,} bytes, and had {part.size:,} when it was indexed")


def _rows(part: Slice) -> Iterator[Row]:
    if kind_of(part.path) == "parquet":
        yield from _parquet_rows(part)
        return
    with open_input(part.path) as file:
        if part.place:
            file.seek(part.place)
        lines = Lines(file, part.path, part.place)
        rows = line_rows(lines, part.fields, part.text_column, part.id_column)
        yield from islice(rows, part.skip, part.skip + part.rows)


def line_rows(lines: Lines, fields: tuple[str, ...], text_column: str | None, id_column: str | None) -> Iterator[Row]:
    """Rows of a file of lines; when one has been given, `lines.place` is where the next begins."""
    return _FORMATS[kind_of(lines.path)](lines, fields, text_column, id_column)


def _text(lines: Lines, fields: tuple[str, ...], text_column: str | None, id_column: str | None) -> Iterator[Row]:
    return ((None, line) for line in lines)


def _jsonl(lines: Lines, fields: tuple[str, ...], text_column: str | None, id_column: str | None) -> Iterator[Row]:
    for line in lines:
        if not line.strip():
            continue
        row = parse_json(line, lines)
        if text_column is None:
            yield None, row
        elif not isinstance(row, dict) or text_column not in row:
            raise InputError(f"{lines.path!r} before byte {lines.place}: {line[:60]!r} has no {text_column!r}")
        else:
            yield None if id_column is None else row.get(id_column), row[text_column]


def parse_json(line: str, lines: Lines) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{lines.path!r} before byte {lines.place}: not JSON: {error}") from None


def separated(lines: Lines, n_fields: int | None = None) -> Iterator[list[str]]:
    """Records of .csv (quotes may hide line ends) or .tsv (a quote is a quote).

    Blank lines are none; where there is one field only, they are empty ones.
    """
    try:
        for record in records((line + "\n" for line in lines), kind_of(lines.path)):
            if record or n_fields == 1:
                yield record or [""]
    except csv.Error as error:
        raise InputError(f"{lines.path!r} before byte {lines.place}: {error}") from None


def _separated(lines: Lines, fields: tuple[str, ...], text_column: str | None, id_column: str | None) -> Iterator[Row]:
    text_at = fields.index(text_column or "")
    id_at = None if id_column is None else fields.index(id_column)
    for record in separated(lines, len(fields)):
        if len(record) != len(fields):
            raise InputError(
                f"{lines.path!r} before byte {lines.place}: fields {len(record)}, expected {len(fields)} by the header"
            )
        yield None if id_at is None else record[id_at], record[text_at]


def _parquet_rows(part: Slice) -> Iterator[Row]:
    """Only the row groups that hold the rows are read, a batch at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = [column for column in (part.id_column, part.text_column) if column is not None]
    stop = part.skip + part.rows
    at = 0
    try:
        with pq.ParquetFile(part.path) as file:
            for group in range(file.num_row_groups):
                size, weight = _size(file.metadata.row_group(group), columns)
                if at + size <= part.skip or at >= stop:
                    at += size
                    continue
                few = max(1, min(_PARQUET_ROWS, _PARQUET_BYTES * size // max(weight, 1)))
                for batch in file.iter_batches(few, row_groups=[group], columns=columns):
                    first, last = max(part.skip - at, 0), min(stop - at, len(batch))
                    at += len(batch)
                    if first < last:
                        wanted = batch.slice(first, last - first)
                        texts = wanted.column(part.text_column).to_pylist()
                        for text in texts:
                            check_text(text, part.path)
                        ids = wanted.column(part.id_column).to_pylist() if part.id_column else [None] * len(texts)
                        yield from zip(ids, texts, strict=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"can't read {part.path!r}: {' '.join(str(error).split())[:200]}") from None


def _size(group: Any, columns: list[str]) -> tuple[int, int]:
    """Rows of a row group, and bytes of these columns in it, unpacked."""
    found = (group.column(i) for i in range(group.num_columns))
    weight = sum(column.total_uncompressed_size for column in found if column.path_in_schema in columns)
    return group.num_rows, weight


_FORMATS: dict[str, Callable[[Lines, tuple[str, ...], str | None, str | None], Iterator[Row]]] = {
    "text": _text,
    "jsonl": _jsonl,
    "csv": _separated,
    "tsv": _separated,
}
