"""Files with named columns: TSV without quoting, CSV with standard quoting, JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from attar.errors import DataError
from attar.io.columns import records
from attar.tasks.readers.table import ColumnTable
from attar.tasks.readers.textfile import Encoding, read_lines, read_text


def read_tsv(path: Path, encoding: Encoding = "utf-8") -> ColumnTable:
    """Tab-separated with a header line and no quoting at all: a `"` is a `"`."""
    lines = read_lines(path, encoding)
    if not lines:
        raise DataError(f"{path} is empty: its first line must name the columns")
    return _table(path, lines[0].split("\t"), (line.split("\t") for line in lines[1:]))


def read_csv(path: Path) -> ColumnTable:
    """Comma-separated with a header line; fields with commas, quotes or newlines stand in double quotes."""
    reader = records(io.StringIO(read_text(path), newline=""), "csv")
    try:
        rows = [row for row in reader if row]
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: not valid CSV ({error}). Correct the quoting") from error
    if not rows:
        raise DataError(f"{path} is empty: its first line must name the columns")
    return _table(path, rows[0], rows[1:])


def read_jsonl(path: Path, wanted: Sequence[str] | None = None) -> ColumnTable:
    """One JSON object per line. Columns are the keys of the first object that hold text or numbers, or those wanted."""
    columns: dict[str, list[str]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path}, line {number}: not valid JSON ({error}). Each line must be one object") from error
        if not isinstance(record, dict):
            raise DataError(f"{path}, line {number}: {type(record).__name__} instead of an object: {line[:60]!r}")
        if not columns:
            first = wanted if wanted is not None else [key for key, value in record.items() if _is_plain(value)]
            columns = {key: [] for key in first}
        for key, column in columns.items():
            value = record.get(key)
            if not _is_plain(value):
                raise DataError(
                    f"{path}, line {number}: {key!r} is {value!r}, not text or a number; keys: {', '.join(record)}"
                )
            column.append(str(value))
    if not columns:
        raise DataError(f"{path} holds no rows: each line must be one JSON object")
    return ColumnTable(str(path), columns)


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float)


def _table(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> ColumnTable:
    if len(set(header)) != len(header):
        raise DataError(f"{path} names a column twice: {', '.join(header)}. Give each column a name of its own")
    kept: list[Sequence[str]] = []
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise DataError(
                f"{path}: row {number} has {len(row)} fields, the header names {len(header)} ({', '.join(header)}). "
                f"A tidy TSV has no quoting and no tabs or newlines inside fields"
            )
        kept.append(row)
    columns = zip(*kept, strict=True) if kept else [()] * len(header)
    return ColumnTable(str(path), dict(zip(header, columns, strict=True)))
