"""Indexing: one walk over a file counts its rows and notes where some of them begin; nothing is held."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attar.corpus.inputs.ids import json_type
from attar.corpus.inputs.input_file import STEP, InputFile, kind_of
from attar.corpus.inputs.rows import Lines, line_rows, parse_json, separated
from attar.errors import InputError
from attar.io.columns import choose_column
from attar.io.reading import open_input
from attar.io.unpacked import DAMAGE

_BLOCK = 1 << 22


@dataclass(frozen=True)
class IndexFile:
    """Work of an executor: a path to its InputFile. Named columns must be there; others are found by their names."""

    column: str | None = None
    id_column: str | None = None

    def __call__(self, path: str) -> InputFile:
        try:
            before = os.stat(path)
            with open(path, "rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise InputError(f"can't read {path!r}: {error.strerror or error}") from None
        found = _INDEXERS[kind_of(path)](path, self)
        source = InputFile(path, *times_of(before), sha256, **found, asked=(self.column, self.id_column))
        if times_of(os.stat(path)) != times_of(before):
            raise InputError(f"{path!r} was changed while it was read; run again when it is complete")
        return source

    def text_name(self, names: Sequence[str], path: str) -> str:
        return choose_column(names, self.column, path)

    def id_name(self, names: Sequence[str], path: str) -> str | None:
        if self.id_column is not None and self.id_column not in names:
            raise InputError(f"{path!r} has no column {self.id_column!r} of ids; it has {', '.join(names)}")
        return self.id_column or ("id" if "id" in names else None)


def times_of(found: os.stat_result) -> tuple[int, int, int]:
    """The size and times that identify an unchanged file, as fields of InputFile."""
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _index_text(path: str, wanted: IndexFile) -> dict[str, Any]:
    for column in (wanted.column, wanted.id_column):
        if column is not None:
            raise InputError(f"{path!r} is plain text, one text per line, and has no column {column!r}")
    places, n_lines, at, last = [0], 0, 0, b"\n"
    with open_input(path) as file:
        try:
            while block := file.read(_BLOCK):
                ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
                first = -(n_lines + 1) % STEP  # the next line end that a multiple of STEP lines is complete with
                places += (ends[first::STEP] + at + 1).tolist()
                n_lines, at, last = n_lines + len(ends), at + len(block), block[-1:]
        except (OSError, *DAMAGE) as error:
            raise InputError(f"can't read {path!r} beyond byte {at}: {error}") from None
    return {"rows": n_lines + (last != b"\n"), "places": tuple(places)}


def _index_jsonl(path: str, wanted: IndexFile) -> dict[str, Any]:
    with open_input(path) as file:
        lines = Lines(file, path)
        row: Any = next((parse_json(line, lines) for line in lines if line.strip()), None)
    if row is None or (isinstance(row, str) and wanted.column is None and wanted.id_column is None):
        return _walk(path, {})
    if not isinstance(row, dict):
        raise InputError(f"{path!r} should hold one JSON object per line; its first is {str(row)[:60]!r}")
    found: dict[str, Any] = {"text_column": wanted.text_name(list(row), path)}
    id_column = wanted.id_name(list(row), path)
    return _walk(path, found if id_column is None else found | {"id_column": id_column})


def _index_separated(path: str, wanted: IndexFile) -> dict[str, Any]:
    with open_input(path) as file:
        lines = Lines(file, path)
        header = next(separated(lines), None)
        start = lines.place
    if header is None:
        raise InputError(f"{path!r} is empty; its first line should name the columns")
    id_column = wanted.id_name(header, path)
    found = {"text_column": wanted.text_name(header, path), "fields": tuple(header)}
    found |= {} if id_column is None else {"id_column": id_column}
    return _walk(path, found, start)


def _walk(path: str, found: dict[str, Any], start: int = 0) -> dict[str, Any]:
    """Parses every row, as only that tells where records with quotes end, and of what types ids are."""
    places, n = [start], 0
    id_types: set[str] = set()
    with open_input(path) as file:
        file.seek(start)
        lines = Lines(file, path, start)
        fields, text_column, id_column = (found.get(k) for k in ("fields", "text_column", "id_column"))
        for n, (row_id, _) in enumerate(line_rows(lines, fields or (), text_column, id_column), 1):
            if row_id is not None:
                id_types.add(json_type(row_id))
            if n % STEP == 0:
                places.append(lines.place)
    if id_column is not None:
        found["id_type"] = " and ".join(sorted(id_types)) or "null"
    return found | {"rows": n, "places": tuple(places)}


def _index_parquet(path: str, wanted: IndexFile) -> dict[str, Any]:
    """From the footer alone."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema, rows = pq.read_schema(path), pq.read_metadata(path).num_rows
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"can't read {path!r}: {' '.join(str(error).split())[:200]}") from None
    found: dict[str, Any] = {"text_column": wanted.text_name(schema.names, path), "rows": rows}
    id_column = wanted.id_name(schema.names, path)
    if id_column is not None:
        kind = schema.field(id_column).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        found |= {"id_column": id_column, "id_type": str(kind)}
    return found


_INDEXERS = {
    "text": _index_text,
    "jsonl": _index_jsonl,
    "csv": _index_separated,
    "tsv": _index_separated,
    "parquet": _index_parquet,
}
