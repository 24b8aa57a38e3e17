"""Vectors to files, a chunk of rows at a time: .npy, .parquet, .safetensors, .jsonl; whole or not at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

import numpy as np

from attar.errors import unknown_name
from attar.io.atomic import check_target_file, new_file
from attar.io.through import ending
from attar.types import Floats

_NPY_HEADER, _SAFETENSORS_HEADER = 128, 256  # bytes kept free at the front and filled in once the rows are counted


def check_target(target: str) -> None:
    """Says early, before any work, that nothing can be written there."""
    path = Path(target)
    _writer(path)
    check_target_file(path)


def write_vectors(chunks: Iterable[Floats], target: str) -> int:
    """Write all rows; how many there were. No rows are an error, and leave nothing behind."""
    path = Path(target)
    write = _writer(path)
    with new_file(path) as aside:
        return write(chunks, aside)


def print_vectors(chunks: Iterable[Floats]) -> int:
    """One JSON list a line on stdout."""
    return _json_lines(chunks, sys.stdout)


def _json_lines(chunks: Iterable[Floats], file: IO[str]) -> int:
    n = 0
    for rows in chunks:
        for row in rows:
            file.write(json.dumps([float(f"{x:.9g}") for x in row.tolist()]) + "\n")  # enough for any float32
        n += len(rows)
    file.flush()
    return n


def _write_jsonl(chunks: Iterable[Floats], path: Path) -> int:
    with open(path, "w", encoding="utf-8") as file:
        return _json_lines(chunks, file)


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


def _write_npy(chunks: Iterable[Floats], path: Path) -> int:
    def header(n: int, dims: int) -> bytes:
        text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({n}, {dims}), }}"
        size = _NPY_HEADER - 10
        return b"\x93NUMPY\x01\x00" + size.to_bytes(2, "little") + (text.ljust(size - 1) + "\n").encode("ascii")

    return _write_raw(chunks, path, _NPY_HEADER, header)


def _write_safetensors(chunks: Iterable[Floats], path: Path) -> int:
    def header(n: int, dims: int) -> bytes:
        about = {"vectors": {"dtype": "F32", "shape": [n, dims], "data_offsets": [0, n * dims * 4]}}
        size = _SAFETENSORS_HEADER - 8
        return size.to_bytes(8, "little") + json.dumps(about).ljust(size).encode("ascii")

    return _write_raw(chunks, path, _SAFETENSORS_HEADER, header)


def _write_parquet(chunks: Iterable[Floats], path: Path) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    n = 0
    writer = None
    try:
        for rows in chunks:
            flat = pa.array(np.ascontiguousarray(rows, dtype=np.float32).reshape(-1))
            vectors = pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])
            table = pa.table({"id": pa.array(np.arange(n, n + len(rows))), "vector": vectors})
            writer = writer or pq.ParquetWriter(path, table.schema)
            writer.write_table(table)
            n += len(rows)
    finally:
        if writer is not None:
            writer.close()
    return n


_WRITERS: dict[str, Callable[[Iterable[Floats], Path], int]] = {
    ".npy": _write_npy,
    ".parquet": _write_parquet,
    ".safetensors": _write_safetensors,
    ".jsonl": _write_jsonl,
}


def _writer(path: Path) -> Callable[[Iterable[Floats], Path], int]:
    form = ending(path, of_streams=".jsonl")
    if form not in _WRITERS:
        raise unknown_name("ending of the output file", form, _WRITERS)
    return _WRITERS[form]
