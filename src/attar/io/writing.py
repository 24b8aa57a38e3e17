"""Vectors to files, a chunk of rows at a time, whole or not at all; columns of their texts go along where they can."""

from __future__ import annotations

import json
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from attar.errors import OutputError, unknown_name
from attar.io.atomic import check_target_file, new_file
from attar.io.kept_columns import VECTOR, KeptColumns
from attar.io.through import ending
from attar.io.vector_tables import table_of
from attar.types import Floats

_NPY_HEADER, _SAFETENSORS_HEADER = 128, 256  # bytes kept free at the front and filled in once the rows are counted
NAME = "vectors"  # of the array in .npz and .safetensors


@dataclass(frozen=True)
class _Format:
    """How an ending is written, and whether columns can go along."""

    write: Callable[[Iterable[Floats], Path, KeptColumns | None], int]
    columns: bool = False


def check_target(target: str, *, columns: bool = False) -> None:
    """Says early, before any work, that nothing can be written there, or that columns can't go along."""
    path = Path(target)
    form = _format(path)
    if columns and not form.columns:
        able = ", ".join(name for name, other in _FORMATS.items() if other.columns)
        raise OutputError(f"a {path.suffix} file holds vectors alone; to keep columns write {able}")
    check_target_file(path)


def write_vectors(chunks: Iterable[Floats], target: str, kept: KeptColumns | None = None) -> int:
    """Write all rows; how many there were. No rows are an error, and leave nothing behind."""
    path = Path(target)
    write = _format(path).write
    with new_file(path) as aside:
        return write(chunks, aside, kept)


def print_vectors(chunks: Iterable[Floats], kept: KeptColumns | None = None) -> int:
    """One JSON list a line on stdout; with columns, one object."""
    return _json_lines(chunks, sys.stdout, kept)


def _json_lines(chunks: Iterable[Floats], file: IO[str], kept: KeptColumns | None) -> int:
    n = 0
    for rows in chunks:
        columns = {} if kept is None else kept.take(len(rows))
        for i, row in enumerate(rows):
            numbers = [float(f"{x:.9g}") for x in row.tolist()]  # enough for any float32
            file.write(_json(numbers if kept is None else {**{k: v[i] for k, v in columns.items()}, VECTOR: numbers}))
        n += len(rows)
    file.flush()
    return n


def _json(value: list[float] | Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, default=str) + "\n"


def _write_jsonl(chunks: Iterable[Floats], path: Path, kept: KeptColumns | None) -> int:
    with open(path, "w", encoding="utf-8") as file:
        return _json_lines(chunks, file, kept)


def _write_raw(chunks: Iterable[Floats], path: Path, n_header: int, header: Callable[[int, int], bytes]) -> int:
    """Rows behind a header of fixed size."""
    n, dims = 0, 0
    with open(path, "wb") as file:
        file.write(b"\0" * n_header)
        for rows in chunks:
            n, dims = n + len(rows), rows.shape[1]
            np.ascontiguousarray(rows, dtype="<f4").tofile(file)
        file.seek(0)
        file.write(header(n, dims))
    return n


def _write_npy(chunks: Iterable[Floats], path: Path, kept: KeptColumns | None = None) -> int:
    def header(n: int, dims: int) -> bytes:
        text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({n}, {dims}), }}"
        size = _NPY_HEADER - 10
        return b"\x93NUMPY\x01\x00" + size.to_bytes(2, "little") + (text.ljust(size - 1) + "\n").encode("ascii")

    return _write_raw(chunks, path, _NPY_HEADER, header)


def _write_npz(chunks: Iterable[Floats], path: Path, kept: KeptColumns | None) -> int:
    """Stored, not packed: vectors hardly shrink."""
    array = path.with_name(f"{NAME}.npy")  # its header names its rows, which are known at the end
    n = _write_npy(chunks, array)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive, open(array, "rb") as rows:
        member = zipfile.ZipInfo(array.name)  # without a time: the same vectors give the same bytes
        with archive.open(member, "w", force_zip64=True) as file:
            shutil.copyfileobj(rows, file, 1 << 20)
    array.unlink()
    return n


def _write_safetensors(chunks: Iterable[Floats], path: Path, kept: KeptColumns | None) -> int:
    def header(n: int, dims: int) -> bytes:
        about = {NAME: {"dtype": "F32", "shape": [n, dims], "data_offsets": [0, n * dims * 4]}}
        size = _SAFETENSORS_HEADER - 8
        return size.to_bytes(8, "little") + json.dumps(about).ljust(size).encode("ascii")

    return _write_raw(chunks, path, _SAFETENSORS_HEADER, header)


def _write_table(chunks: Iterable[Floats], path: Path, kept: KeptColumns | None, opened: Callable[..., Any]) -> int:
    n, writer, schema = 0, None, None
    try:
        for rows in chunks:
            table = table_of(rows, n, kept, schema)
            schema = table.schema
            writer = writer or opened(path, schema)
            writer.write_table(table)
            n += len(rows)
    finally:
        if writer is not None:
            writer.close()
    return n


def _write_parquet(chunks: Iterable[Floats], path: Path, kept: KeptColumns | None) -> int:
    import pyarrow.parquet as pq

    return _write_table(chunks, path, kept, pq.ParquetWriter)


def _write_arrow(chunks: Iterable[Floats], path: Path, kept: KeptColumns | None) -> int:
    import pyarrow as pa

    return _write_table(chunks, path, kept, lambda path, schema: pa.ipc.new_file(str(path), schema))


_FORMATS: dict[str, _Format] = {
    ".npy": _Format(_write_npy),
    ".npz": _Format(_write_npz),
    ".parquet": _Format(_write_parquet, columns=True),
    ".arrow": _Format(_write_arrow, columns=True),
    ".safetensors": _Format(_write_safetensors),
    ".jsonl": _Format(_write_jsonl, columns=True),
}


def _format(path: Path) -> _Format:
    form = ending(path, of_streams=".jsonl")
    if form not in _FORMATS:
        raise unknown_name("ending of the output file", form, _FORMATS)
    return _FORMATS[form]
