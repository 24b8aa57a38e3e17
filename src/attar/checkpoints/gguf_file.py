"""The header of a GGUF file: what it says of the model, and where its arrays lie. Lengths are checked before use."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attar.errors import ModelError
from attar.io.quantized import FORMATS, StoredRows

MAGIC = b"GGUF"
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
_TYPES = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K",
          13: "Q5_K", 14: "Q6_K", 20: "IQ4_NL", 23: "IQ4_XS", 30: "BF16"}  # fmt: skip
_OTHER_TYPES = {
    9: "Q8_1", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 21: "IQ3_S", 22: "IQ2_S", 24: "I8",
    25: "I16", 26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4",
}  # fmt: skip
_LEAST_ENTRY = 13  # bytes of the shortest entry of the header
_MAX_DIMS = 4


class _CutShort(Exception):
    pass


@dataclass(frozen=True)
class ArrayEntry:
    """Where an array lies; the last dim is that of a row, as numpy has it."""

    shape: tuple[int, ...]
    type_code: int
    start: int  # bytes from the start of the file

    @property
    def type_name(self) -> str:
        return _TYPES.get(self.type_code) or _OTHER_TYPES.get(self.type_code, f"number {self.type_code}")


class GgufFile:
    """A GGUF file, whose header is read at once and whose arrays are mapped.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    ModelError
        For a file that is not GGUF, is cut short, or claims more than it holds.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._bytes = np.memmap(path, dtype=np.uint8, mode="r")
        except (OSError, ValueError) as error:
            raise ModelError(f"can't read {path}: {getattr(error, 'strerror', None) or 'it is empty'}") from None
        self.metadata: dict[str, Any] = {}
        self.entries: dict[str, ArrayEntry] = {}
        reader = _Reader(self._bytes.data)
        try:
            self._read(reader)
        except _CutShort:
            raise ModelError(
                f"{path} is damaged or cut short: its header ends after {len(self._bytes)} bytes in the middle of an "
                "entry; download it again"
            ) from None

    def _read(self, reader: _Reader) -> None:
        magic = bytes(reader.take(4))
        if magic != MAGIC:
            raise ModelError(f"{self.path} is not a GGUF file: it begins with {magic!r}")
        version = reader.number("<I")
        if version not in (2, 3):
            raise ModelError(f"{self.path} is a GGUF file of version {version}, which is not read; read are 2 and 3")
        n_arrays, n_entries = reader.number("<Q"), reader.number("<Q")
        if (n_arrays + n_entries) * _LEAST_ENTRY > len(self._bytes):
            raise ModelError(
                f"{self.path} is damaged: it claims {n_arrays} arrays and {n_entries} settings in {len(self._bytes)} "
                "bytes"
            )
        for _ in range(n_entries):
            key = reader.text()
            self.metadata[key] = reader.value()
        found = [(reader.text(), *_entry(reader)) for _ in range(n_arrays)]
        alignment = self.metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20:
            raise ModelError(f"{self.path} is damaged: its alignment is {alignment!r}")
        start = -(-reader.at // alignment) * alignment
        self.entries = {name: ArrayEntry(shape, kind, start + offset) for name, shape, kind, offset in found}

    def array(self, name: str) -> npt.NDArray[np.float32] | StoredRows:
        """An array as it lies in the file: float32 of one dim, rows of any type of two."""
        entry = self.entries[name]
        if entry.type_code not in _TYPES or len(entry.shape) not in (1, 2):
            raise ModelError(
                f"{self.path}: the array {name!r} is of the type {entry.type_name}, shape {entry.shape}, which is not "
                f"read; read are {', '.join(FORMATS)}: give another quantisation of the model"
            )
        form = FORMATS[entry.type_name]
        *rows, width = entry.shape
        n_rows = rows[0] if rows else 1
        row_bytes = width // form.numbers * form.bytes
        end = entry.start + n_rows * row_bytes
        if width % form.numbers or end > len(self._bytes):
            raise ModelError(
                f"{self.path} is damaged or cut short: the array {name!r} of shape {entry.shape} does not fit in it; "
                "download it again"
            )
        raw = np.asarray(self._bytes[entry.start : end]).reshape(n_rows, row_bytes)
        stored = StoredRows(raw, entry.type_name, width)
        return stored if rows else stored.unpacked()[0]


class _Reader:
    """Takes values off bytes, never past their end."""

    def __init__(self, data: memoryview) -> None:
        self._data, self.at = data, 0

    def take(self, n: int) -> memoryview:
        if n > len(self._data) - self.at:
            raise _CutShort
        self.at += n
        return self._data[self.at - n : self.at]

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def text(self) -> str:
        return str(self.take(self.number("<Q")), "utf-8", "replace")

    def value(self) -> Any:
        return self._of(self.number("<I"))()

    def _of(self, code: int) -> Callable[[], Any]:
        if code == _STRING:
            return self.text
        if code == _ARRAY:
            return self._list
        if code not in _SCALARS:
            raise _CutShort
        return lambda: self.number(_SCALARS[code])

    def _list(self) -> list[Any]:
        code, n = self.number("<I"), self.number("<Q")
        if code in _SCALARS:
            form = np.dtype(_SCALARS[code])
            return np.frombuffer(self.take(n * form.itemsize), dtype=form).tolist()  # type: ignore[no-any-return]
        if n * 8 > len(self._data) - self.at:
            raise _CutShort
        if code == _ARRAY:  # lists in lists would allow any depth; no model has them
            raise _CutShort
        read = self._of(code)
        return [read() for _ in range(n)]


def _entry(reader: _Reader) -> tuple[tuple[int, ...], int, int]:
    n_dims = reader.number("<I")
    if n_dims > _MAX_DIMS:
        raise _CutShort
    shape = tuple(reader.number("<Q") for _ in range(n_dims))[::-1]
    return shape, reader.number("<I"), reader.number("<Q")
