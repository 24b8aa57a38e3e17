"""Safetensors files: written so that others may read them, and mapped into memory instead of read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attar.errors import ModelError

_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I8": "i1", "U8": "u1"}
_BFLOAT16 = {"BF16": "V2"}  # numpy has no such type: its bytes
_MAX_HEADER = 100_000_000  # bytes, the limit of the format


def map_arrays(path: Path, bfloat16: bool = False) -> dict[str, npt.NDArray[Any]]:
    """All arrays by name, read-only; refuses a file whose header does not fit its size.

    Arrays of bfloat16 are refused, or given as pairs of bytes (`V2`) to who knows to read them.
    """
    header, start, size = _read_header(path)
    types = _TYPES | _BFLOAT16 if bfloat16 else _TYPES
    return {name: _map(path, name, entry, start, size, types) for name, entry in header.items()}


def array_names(path: Path) -> set[str]:
    """What the arrays are called."""
    return set(_read_header(path)[0])


def _read_header(path: Path) -> tuple[dict[str, Any], int, int]:
    """The entries by name, where the data starts, and the size of the file."""
    try:
        size = path.stat().st_size
        with open(path, "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if not 2 <= length <= min(_MAX_HEADER, size - 8):
                raise ModelError(f"{path} is not a safetensors file, or it is cut short")
            header = json.loads(file.read(length))
    except OSError as error:
        raise ModelError(f"can't read {path}: {error.strerror}") from None
    except ValueError as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{path} is damaged: its header is not JSON") from None
    if not isinstance(header, dict):
        raise ModelError(f"{path} is damaged: its header is not a JSON object")
    header.pop("__metadata__", None)
    return header, 8 + length, size


def _map(path: Path, name: str, entry: Any, start: int, size: int, types: Mapping[str, str]) -> npt.NDArray[Any]:
    try:
        kind, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        whole = all(type(n) is int and n >= 0 for n in (*shape, begin, end))
    except (TypeError, KeyError, ValueError):
        whole = False
    if not whole:
        raise ModelError(f"{path} is damaged: the entry of the array {name!r} makes no sense")
    if kind not in types:
        raise ModelError(f"{path}: the array {name!r} is of type {kind!r}; supported are {', '.join(types)}")
    dtype = np.dtype(types[kind])
    n_bytes = int(np.prod(shape, dtype=object)) * dtype.itemsize
    if end - begin != n_bytes or start + end > size:
        raise ModelError(f"{path} is damaged or cut short: the array {name!r} of shape {shape} does not fit in it")
    if n_bytes == 0:
        return np.zeros(shape, dtype)
    mapped = np.memmap(path, dtype=dtype, mode="r", offset=start + begin, shape=shape)
    return np.asarray(mapped)


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]], about: dict[str, str] | None = None) -> None:
    """A safetensors file that others may read as they may read any new file; the library makes it private."""
    from safetensors.numpy import save_file

    path.touch()
    mode = path.stat().st_mode
    save_file(dict(arrays), str(path), metadata=about)
    path.chmod(mode)


def take(arrays: Mapping[str, npt.NDArray[Any]], name: str, path: Path) -> npt.NDArray[Any]:
    """An array that must be there."""
    if name not in arrays:
        raise ModelError(f"{path} holds no array {name!r}; it holds {', '.join(sorted(arrays)) or 'none'}")
    return arrays[name]
