"""What the compiled library does, on arrays: products, and the steps between them in one pass over memory each."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import addressof, c_char
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from attar.engine.kernels import Norm, Projected, torch_kernels
from attar.engine.library import Abilities, Compiled
from attar.engine.threads import members
from attar.types import Doubles, Floats, Ints

_ROWS, _KEYS = 4, 16  # as in _attention.h
_PANEL = 16  # as in _products.h
_COLUMNS = 48  # as in _scatter.h


class _Kind(NamedTuple):
    """One way to multiply. `number`: its place in KINDS of _products.c."""

    number: int
    pack: str
    per_unit: int  # dims
    extra: int  # units of each column behind its weights


_KINDS = {  # by precision, the widest first, and what the processor must be able to do
    "float32": {
        Abilities.WIDE: _Kind(1, "attar_pack_float32", 1, 0),
        Abilities.VECTORS: _Kind(0, "attar_pack_float32", 1, 0),
    },
    "bfloat16": {Abilities.BFLOAT16: _Kind(2, "attar_pack_bfloat16", 2, 0)},
    "int8": {
        Abilities.DOTS: _Kind(4, "attar_pack_int8", 4, 2),
        Abilities.VECTORS: _Kind(3, "attar_pack_int16", 2, 2),
    },
}


class Packed(NamedTuple):
    """A weight as its kind of product reads it."""

    kind: _Kind
    units: npt.NDArray[np.uint32]
    address: int
    n_out: int
    n_in: int


class CompiledKernels:
    """The library, kept to the instructions it was opened with. Heads of a width not a multiple of 8 go to torch."""

    def __init__(self, compiled: Compiled) -> None:
        self._library, self.abilities = compiled

    def attention(self, projected: Projected, lengths: Ints, heads: int, scale: float) -> Floats:
        n_tokens, dims = projected.queries.shape
        dh = dims // heads
        if dh % 8:
            return torch_kernels().attention(projected, lengths, heads, scale)
        out = np.empty((n_tokens, dims), dtype=np.float32)
        n_threads = min(members(), heads)
        each = (2 * dh + _ROWS) * (int(lengths.max()) + _KEYS) + _ROWS * dh
        scratch = np.empty(each * n_threads, dtype=np.float32)
        rows = [at for x in projected[:3] for at in (_at(x), _stride(x))]
        biases = [_at(bias) for bias in projected[3:]]
        sizes = _at(lengths), len(lengths), heads, dh
        wide = Abilities.WIDE in self.abilities
        self._library.attar_attention(*rows, *biases, *sizes, scale, _at(scratch), each, _at(out), n_threads, wide)
        return out

    def bias_gelu(self, x: Floats, bias: Floats) -> None:
        self._library.attar_bias_gelu(_at(x), _at(bias), *x.shape)

    def bias_relu(self, x: Floats, bias: Floats) -> None:
        self._library.attar_bias_relu(_at(x), _at(bias), *x.shape)

    def add_scale(self, x: Floats, bias: Floats, residual: Floats, scaling: Norm) -> None:
        at = _at(x), _at(bias), _at(residual), _stride(residual)
        self._library.attar_add_scale(*at, _at(scaling.gain), _at(scaling.offset), *x.shape)

    def add_norm(self, x: Floats, bias: Floats, residual: Floats, norm: Norm) -> None:
        at = [_at(array) for array in (x, bias, residual, norm.gain, norm.offset)]
        self._library.attar_add_norm(*at, norm.epsilon, *x.shape)

    def pack(self, weight: Floats, precision: str = "float32") -> Packed | None:
        """A weight as `times` reads it; None where this processor has no such products. Shape: (D out, D in)"""
        kind = next((kind for needed, kind in _KINDS[precision].items() if needed in self.abilities), None)
        if kind is None:
            return None
        given = np.ascontiguousarray(weight, dtype=np.float32)
        n, k = given.shape
        units = np.empty((-(-k // kind.per_unit) + kind.extra) * -(-n // _PANEL) * _PANEL, dtype=np.uint32)
        pack: Callable[..., None] = getattr(self._library, kind.pack)
        pack(_at(given), n, k, _at(units))
        return Packed(kind, units, _at(units), n, k)

    def times(self, x: Floats, packed: Packed) -> Floats:
        """x times the transpose of a packed weight. Shape: (T, D in) -> (T, D out)"""
        rows, k = x.shape
        out = np.empty((rows, packed.n_out), dtype=np.float32)
        at = packed.kind.number, _at(x), _stride(x), packed.address
        self._library.attar_times(*at, rows, packed.n_out, k, _at(out), members())
        return out

    def sum_rows(
        self,
        table: Floats,
        rows: npt.NDArray[np.integer[Any]] | None,
        weights: Floats,
        offsets: Ints,
        out: Floats,
        n_threads: int,
    ) -> None:
        """The weighted sum of each sequence's rows, into `out`. Shape: (V, D), (T,), (T,), (N + 1,), (N, D)"""
        at = None if rows is None else np.ascontiguousarray(rows, dtype=np.int32)
        weighed, bounds = np.ascontiguousarray(weights, np.float32), np.ascontiguousarray(offsets, np.int64)
        n, n_given = bounds.item(-1), len(table) if at is None else len(at)
        if not len(bounds) - 1 == len(out) or not n == len(weighed) == n_given:
            raise ValueError(f"{len(weighed)} weights and {len(out)} sums do not fit {n} rows")
        inputs = _at(table), *table.shape, None if at is None else _at(at), _at(weighed), _at(bounds)
        bad = self._library.attar_sum_rows(*inputs, len(out), _at(out), _stride(out), n_threads)
        if bad >= 0 and at is not None:
            raise IndexError(f"row {at[bad]} of a table of {len(table)} rows")

    def scatter(self, x: Floats, block: int, n_threads: int) -> tuple[Doubles, Doubles, Doubles]:
        """Means of blocks of rows, what differences were measured off these, and the sums of their products.

        Shape: (N, D) -> (N / block, D), (N / block, D), (D, D)
        """
        rows = np.ascontiguousarray(x, dtype=np.float32)
        n, d = rows.shape
        packed = np.empty((-(-d // _COLUMNS), min(n, block), _COLUMNS), dtype=np.float32)
        means, off, sums = np.empty((-(-n // block), d)), np.empty((-(-n // block), d)), np.zeros((d, d))
        at = [_at(array) for array in (packed, means, off, sums)]
        wide = Abilities.WIDE in self.abilities
        self._library.attar_scatter(_at(rows), _stride(rows), n, d, *at, n_threads, wide)
        return means, off, sums


def _at(x: npt.NDArray[Any]) -> int:
    """Where it lies in memory."""
    try:
        return addressof(c_char.from_buffer(cast(Any, x)))  # several times quicker than the way that always works
    except (TypeError, ValueError, BufferError):  # not writable, in pieces, or empty
        return x.ctypes.data


def _stride(x: npt.NDArray[Any]) -> int:
    """How many numbers lie from one row to the next."""
    return x.strides[0] // x.itemsize
