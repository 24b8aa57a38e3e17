"""Rows with their columns to files: .txt, .csv, .tsv, .jsonl, .parquet; whole or not at all."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attar.errors import OutputError, unknown_name
from attar.io.atomic import check_target_file, new_file
from attar.io.rows import PLAIN, Row
from attar.io.through import ending


def check_row_file(target: str) -> None:
    """Says early, before any work, that nothing can be written there."""
    _writer(Path(target))
    check_target_file(Path(target))


def write_rows(rows: Sequence[Row], target: str | Path, columns: Sequence[str] = ()) -> None:
    """Write all rows; `columns` is the header where there are no rows to tell it."""
    path = Path(target)
    write = _writer(path)
    with new_file(path) as aside:
        try:
            write(rows, aside, list(rows[0]) if rows else list(columns))
        except OSError as error:
            raise OutputError(f"can't write {str(target)!r}: {error.strerror or error}") from None


def _text(rows: Sequence[Row], path: Path, columns: list[str]) -> None:
    if columns and columns != [PLAIN]:
        raise OutputError(f"a .txt file holds texts alone; these rows have {', '.join(columns)}: use .csv or .jsonl")
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{row[PLAIN]}\n" for row in rows)


def _csv(rows: Sequence[Row], path: Path, columns: list[str]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _tsv(rows: Sequence[Row], path: Path, columns: list[str]) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines("\t".join(map(_field, row)) + "\n" for row in [columns, *(row.values() for row in rows)])


def _field(value: Any) -> str:
    return " ".join(str("" if value is None else value).replace("\t", " ").splitlines())


def _jsonl(rows: Sequence[Row], path: Path, columns: list[str]) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)


def _parquet(rows: Sequence[Row], path: Path, columns: list[str]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        pq.write_table(pa.Table.from_pylist(list(rows)) if rows else pa.table({c: [] for c in columns}), path)
    except pa.ArrowException as error:
        raise OutputError(f"can't write {str(path)!r}: {' '.join(str(error).split())[:200]}") from None


_WRITERS: dict[str, Callable[[Sequence[Row], Path, list[str]], None]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
    ".txt": _text,
}


def _writer(path: Path) -> Callable[[Sequence[Row], Path, list[str]], None]:
    form = ending(path, of_streams=".csv")
    if form not in _WRITERS:
        raise unknown_name("ending of the output file", form, _WRITERS)
    return _WRITERS[form]
