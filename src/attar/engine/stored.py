"""Weights as they lie in their file (float32, float16, bfloat16, or quantised in blocks) and products with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from attar.engine.decoder_library import at, decoder_library, product_level, stride
from attar.engine.products import to_bfloat16
from attar.io.arrays import BFLOAT16
from attar.io.quantized import FORMATS, UNPACK, StoredRows
from attar.types import Floats, Ints

_PANEL, _DEPTH, _TILE = 32, 256, 12  # as in _times_stored.c
_AT_ONCE = 1 << 20  # numbers that become floats together where nothing is compiled


class Stored(StoredRows):
    """Rows that can be looked up and multiplied by as they are stored."""

    @classmethod
    def taking(cls, rows: StoredRows) -> Stored:
        return cls(rows.raw, rows.kind, rows.width)

    @classmethod
    def of(cls, array: npt.NDArray[Any]) -> Stored:
        """Of plain rows, which are not copied if they lie end to end. Shape: (n, k)"""
        kinds = {np.dtype("<f4"): "F32", np.dtype("<f2"): "F16", BFLOAT16: "BF16"}
        plain = np.ascontiguousarray(array)
        if plain.ndim != 2 or plain.dtype not in kinds:
            raise ValueError(f"no rows of floats: {array.dtype} of shape {array.shape}")
        return cls(plain.view(np.uint8).reshape(len(plain), -1), kinds[plain.dtype], plain.shape[1])

    def __len__(self) -> int:
        return len(self.raw)

    def __getitem__(self, ids: npt.NDArray[np.integer[Any]]) -> Floats:
        """These rows as float32. Shape: (T) -> (T, k)"""
        library = decoder_library()
        if library is None:
            return UNPACK[self.kind](self.raw[ids], self.width)
        wanted: Ints = np.ascontiguousarray(ids, dtype=np.int64)
        if wanted.size and not (int(wanted.min()) >= 0 and int(wanted.max()) < len(self)):
            raise IndexError(f"rows {wanted.min()} to {wanted.max()} of {len(self)}")
        out = np.empty((len(wanted), self.width), dtype=np.float32)
        library.attar_stored_rows(at(self.raw), FORMATS[self.kind].code, at(wanted), *out.shape, at(out))
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """All of it as float32: for what is done once, such as writing a static table."""
        return self[np.arange(len(self))].astype(dtype or np.float32, copy=False)

    def times(self, x: Floats, brief: bool = False) -> Floats:
        """x . weight^T, a few rows of the weight as floats at a time; `brief`: both rounded to bfloat16 first.

        Shape: (T, k) -> (T, n)
        """
        if decoder_library() is None:
            return self._times_by_numpy(x, brief)
        return self.times_compiled(x, brief, product_level())

    def times_compiled(self, x: Floats, brief: bool, level: int) -> Floats:
        """By the compiled product; `level` as in `product_level`: float32 has the same numbers at all of them."""
        library = decoder_library()
        assert library is not None
        (rows, k), n = x.shape, len(self)
        if k != self.width or x.strides[1] != x.itemsize or x.dtype != np.float32:
            raise ValueError(f"expected rows of {self.width} float32, found {x.dtype} of shape {x.shape}")
        out = np.empty((rows, n), dtype=np.float32)
        scratch = np.empty(_DEPTH * (-(-rows // _TILE) * _TILE + _PANEL + 8), dtype=np.float32)
        sizes = FORMATS[self.kind].code, rows, n, k, level, int(brief)
        library.attar_times_stored(at(x), stride(x), at(self.raw), *sizes, at(scratch), at(out))
        return out

    def _times_by_numpy(self, x: Floats, brief: bool) -> Floats:
        out = np.empty((len(x), len(self)), dtype=np.float32)
        step = max(1, _AT_ONCE // self.width)
        left = to_bfloat16(x) if brief else x
        for start in range(0, len(self), step):
            weight = UNPACK[self.kind](self.raw[start : start + step], self.width)
            np.matmul(left, (to_bfloat16(weight) if brief else weight).T, out=out[:, start : start + step])
        return out
