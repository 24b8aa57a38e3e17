"""Safetensors files: written so that others may read them, and mapped into memory instead of read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attar.errors import ModelError

BFLOAT16 = np.dtype(
    [("low", "u1"), ("high", "u1")]
)  # upper half of a float32; of two fields: numpy casts it to nothing
_TYPES: dict[str, Any] = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": BFLOAT16,
    "I64": "<i8",
    "I32": "<i4",
    "I8": "i1",
    "U8": "u1",
}
_MOST_AXES = 32
_MAX_HEADER = 100_000_000  # bytes, the limit of the format


def map_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """All arrays by name, read-only and as they lie in the file, so that those of bfloat16 are of `BFLOAT16`.

    Raises
    ------
    ModelError
        For a file whose header does not fit its size, or an array of a type that is not supported.
    """
    header, start, size = _read_header(path)
    return {name: _map(path, name, entry, start, size) for name, entry in header.items()}


def is_float(array: npt.NDArray[Any]) -> bool:
    """Whether it holds floating-point numbers, bfloat16 included."""
    return array.dtype.kind == "f" or array.dtype == BFLOAT16


def as_float32(array: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """The numbers of a mapped array; one of float32 is not copied.

    Parameters
    ----------
    array : ndarray of any shape
        Of float64, float32, float16, `BFLOAT16` or integers.

    Returns
    -------
    ndarray of float32, of the same shape
        Exact but for float64 and large integers.
    """
    return as_numpy(array).astype(np.float32, copy=False)


def as_numpy(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Itself, or where it is of bfloat16, which numpy can't compute with, a copy in float32."""
    if array.dtype != BFLOAT16:
        return array
    wide = array.view("<u2").astype(np.uint32)
    wide <<= 16
    return wide.view(np.float32)


def count_numbers(path: Path) -> int:
    """How many numbers the arrays of a file hold together, by its header."""
    return sum(map(prod, array_shapes(path)))


def array_shapes(path: Path) -> list[tuple[int, ...]]:
    """The shapes of all arrays by its header, none of which needs more bytes than the file has."""
    header, start, size = _read_header(path)
    return [_entry(path, name, entry, start, size)[1] for name, entry in header.items()]


def matrix_types(path: Path) -> list[str]:
    """The types of the arrays of two dims, as the file names them."""
    entries = _read_header(path)[0].values()
    return [str(entry.get("dtype")) for entry in entries if len(entry.get("shape", ())) == 2]


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
    except (ValueError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{path} is damaged: its header is not JSON") from None
    if not isinstance(header, dict):
        raise ModelError(f"{path} is damaged: its header is not a JSON object")
    header.pop("__metadata__", None)
    return header, 8 + length, size


def _entry(path: Path, name: str, entry: Any, start: int, size: int) -> tuple[Any, tuple[int, ...], int, int]:
    """Type, shape, begin and end of an array that can be in the file."""
    try:
        kind, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        whole = isinstance(kind, str) and len(shape) <= _MOST_AXES and 0 <= begin <= end
        whole = whole and all(type(n) is int and n >= 0 for n in (*shape, begin, end))
    except (TypeError, KeyError, ValueError):
        whole = False
    if not whole or (0 in shape and max(shape) > size):
        raise ModelError(f"{path} is damaged: the header entry of the array {name!r} is malformed")
    if start + end > size or prod(shape) > 8 * (end - begin):  # no type has less than a bit
        raise ModelError(f"{path} is damaged or cut short: the array {name!r} of shape {shape} does not fit in it")
    return kind, shape, begin, end


def _map(path: Path, name: str, entry: Any, start: int, size: int) -> npt.NDArray[Any]:
    kind, shape, begin, end = _entry(path, name, entry, start, size)
    if kind not in _TYPES:
        raise ModelError(f"{path}: the array {name!r} is of type {kind!r}; supported are {', '.join(_TYPES)}")
    dtype = np.dtype(_TYPES[kind])
    n_bytes = prod(shape) * dtype.itemsize
    if end - begin != n_bytes:
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
    """An array that must be there, of a type that numpy knows."""
    if name not in arrays:
        raise ModelError(f"{path} holds no array {name!r}; it holds {', '.join(sorted(arrays)) or 'none'}")
    return as_numpy(arrays[name])
