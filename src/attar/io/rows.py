"""Rows of a file with all their columns, one at a time: what goes along with the texts."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attar.errors import InputError
from attar.io.bounds import check_text
from attar.io.columns import choose_column, kind_named, records
from attar.io.reading import existing_file, open_lines, tell_blank

Row = dict[str, Any]
PLAIN = "text"  # the one column of a file that has no columns
ID_COLUMNS = ("id", "_id", "doc_id")  # what a column of ids is called where none is named


def read_rows(source: str) -> Iterator[Row]:
    """Every row as a mapping of its columns, in order; a line of plain text is the column "text"."""
    kind = kind_named(source)
    if kind == "parquet":
        yield from _parquet(existing_file(source))
        return
    with open_lines(source) as lines:
        if kind == "jsonl":
            yield from _json_lines(lines, source)
        elif kind in ("csv", "tsv"):
            yield from _separated(lines, source, kind)
        else:
            yield from ({PLAIN: line} for line in lines)


def text_column(row: Row, column: str | None, source: str) -> str:
    """Which column holds the texts: the one named, or the one that is called so."""
    return choose_column(list(row), column, source)


def id_column(row: Row, column: str | None, source: str) -> str | None:
    """Which column holds ids; None where rows are to be numbered."""
    if column is None:
        return next((name for name in ID_COLUMNS if name in row), None)
    return choose_column(list(row), column, source)


def check_columns(row: Row, columns: Sequence[str], source: str) -> None:
    """Refuses columns that are not there."""
    for column in columns:
        choose_column(list(row), column, source)


def column_types(source: str) -> dict[str, Any]:
    """The Arrow type of every column, where the file says it: in Parquet."""
    if kind_named(source) != "parquet":
        return {}
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return {field.name: field.type for field in pq.read_schema(existing_file(source))}
    except (pa.ArrowException, OSError):  # reading it will tell
        return {}


def _json_lines(lines: Iterator[str], source: str) -> Iterator[Row]:
    blank = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            blank += 1
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"line {number} of {source!r} is not JSON: {error}") from None
        if not isinstance(row, (dict, str)):
            raise InputError(f"line {number} of {source!r} should be a JSON object with a text; it is {line[:60]!r}")
        yield row if isinstance(row, dict) else {PLAIN: row}
    tell_blank(blank, source)


def _separated(lines: Iterator[str], source: str, kind: str) -> Iterator[Row]:
    rows = records((line + "\n" for line in lines), kind)
    header: list[str] | None = None
    blank = 0
    try:
        for row in rows:
            if not row and (header is None or len(header) > 1):
                blank += header is not None
                continue
            row = row or [""]  # of one column, a blank line is an empty text
            if header is None:
                header = row
            elif len(row) != len(header):
                raise InputError(
                    f"line {rows.line_num} of {source!r} has {len(row)} of the header's {len(header)} fields"
                )
            else:
                yield dict(zip(header, row, strict=True))
        tell_blank(blank, source)
    except csv.Error as error:
        raise InputError(f"line {rows.line_num} of {source!r} can't be read: {error}") from None


def _parquet(path: Path) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=8192):
                for row in batch.to_pylist():
                    for value in row.values():
                        check_text(value, str(path))
                    yield row
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"can't read {str(path)!r}: {' '.join(str(error).split())[:200]}") from None
