"""What the compiled library does, on arrays: products, and the steps between them in one pass over memory each."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from ctypes import addressof, c_char
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from attar.engine.kernels import Norm, Projected, torch_kernels
from attar.engine.lasting import lasting
from attar.engine.library import Abilities, Compiled
from attar.engine.threads import members
from attar.types import Doubles, Floats, Ints

_ROWS, _KEYS = 12, 16  # as in _attention.h
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

    HEAD = 8  # dims of a head: a multiple of this

    def __init__(self, compiled: Compiled) -> None:
        self.functions, self.abilities = compiled
        self._last_table: tuple[Callable[[], object], int] = (lambda: None, 0)

    def attention(self, projected: Projected, lengths: Ints, heads: int, scale: float) -> Floats:
        n_tokens, dims = projected.queries.shape
        dh = dims // heads
        if dh % self.HEAD:
            return torch_kernels().attention(projected, lengths, heads, scale)
        out = np.empty((n_tokens, dims), dtype=np.float32)
        n_threads = min(members(), heads)
        each = self.attention_scratch(lengths, dh)
        scratch = np.empty(each * n_threads, dtype=np.float32)
        rows = [at for x in projected[:3] for at in (address(x), _stride(x))]
        biases = [address(bias) for bias in projected[3:]]
        sizes = address(lengths), len(lengths), heads, dh
        wide = Abilities.WIDE in self.abilities
        self.functions.attar_attention(
            *rows, *biases, *sizes, scale, address(scratch), each, address(out), n_threads, wide
        )
        return out

    def attention_scratch(self, lengths: Ints, dh: int) -> int:
        """How many floats each thread needs for attention."""
        return (2 * dh + _ROWS) * (int(lengths.max()) + _KEYS) + _ROWS * dh

    def bias_gelu(self, x: Floats, bias: Floats) -> None:
        self.functions.attar_bias_gelu(address(x), address(bias), *x.shape)

    def bias_relu(self, x: Floats, bias: Floats) -> None:
        self.functions.attar_bias_relu(address(x), address(bias), *x.shape)

    def add_scale(self, x: Floats, bias: Floats, residual: Floats, scaling: Norm) -> None:
        at = address(x), address(bias), address(residual), _stride(residual)
        self.functions.attar_add_scale(*at, address(scaling.gain), address(scaling.offset), *x.shape)

    def add_norm(self, x: Floats, bias: Floats, residual: Floats, norm: Norm) -> None:
        at = [address(array) for array in (x, bias, residual, norm.gain, norm.offset)]
        self.functions.attar_add_norm(*at, norm.epsilon, *x.shape)

    def pack(self, weight: Floats, precision: str = "float32") -> Packed | None:
        """A weight as `times` reads it; None where this processor has no such products. Shape: (D out, D in)"""
        kind = next((kind for needed, kind in _KINDS[precision].items() if needed in self.abilities), None)
        if kind is None:
            return None
        given = np.ascontiguousarray(weight, dtype=np.float32)
        n, k = given.shape
        units = lasting((-(-k // kind.per_unit) + kind.extra) * -(-n // _PANEL) * _PANEL)
        pack: Callable[..., None] = getattr(self.functions, kind.pack)
        pack(address(given), n, k, address(units))
        return Packed(kind, units, address(units), n, k)

    def times(self, x: Floats, packed: Packed) -> Floats:
        """x times the transpose of a packed weight. Shape: (T, D in) -> (T, D out)"""
        rows, k = x.shape
        out = np.empty((rows, packed.n_out), dtype=np.float32)
        at = packed.kind.number, address(x), _stride(x), packed.address
        self.functions.attar_times(*at, rows, packed.n_out, k, address(out), members())
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
        places = None if at is None else address(at), address(weighed), address(bounds)
        inputs = self._place(table), *table.shape, *places
        bad = self.functions.attar_sum_rows(*inputs, len(out), address(out), _stride(out), n_threads)
        if bad >= 0 and at is not None:
            raise IndexError(f"row {at[bad]} of a table of {len(table)} rows")

    def _place(self, table: Floats) -> int:
        """Where a table lies. Of a mapped file, which takes long to find out, the last one is remembered."""
        if table.flags.writeable:
            return address(table)
        last, place = self._last_table
        if last() is not table:
            place = address(table)
            self._last_table = weakref.ref(table), place
        return place

    def scatter(self, x: Floats, block: int, n_threads: int) -> tuple[Doubles, Doubles, Doubles]:
        """Means of blocks of rows, what differences were measured off these, and the sums of their products.

        Shape: (N, D) -> (N / block, D), (N / block, D), (D, D)
        """
        rows = np.ascontiguousarray(x, dtype=np.float32)
        n, d = rows.shape
        packed = np.empty((-(-d // _COLUMNS), min(n, block), _COLUMNS), dtype=np.float32)
        means, off, sums = np.empty((-(-n // block), d)), np.empty((-(-n // block), d)), np.zeros((d, d))
        at = [address(array) for array in (packed, means, off, sums)]
        wide = Abilities.WIDE in self.abilities
        self.functions.attar_scatter(address(rows), _stride(rows), n, d, *at, n_threads, wide)
        return means, off, sums


class PackedProduct:
    """x to x times the transpose of a packed weight. Shape: (T, D in) -> (T, D out)"""

    def __init__(self, kernels: CompiledKernels, weight: Packed) -> None:
        self._times, self.weight = kernels.times, weight

    def __call__(self, x: Floats) -> Floats:
        return self._times(x, self.weight)


def address(x: npt.NDArray[Any]) -> int:
    """Where it lies in memory."""
    try:
        return addressof(c_char.from_buffer(cast(Any, x)))  # several times quicker than the way that always works
    except (TypeError, ValueError, BufferError):  # not writable, in pieces, or empty
        return x.ctypes.data


def _stride(x: npt.NDArray[Any]) -> int:
    """How many numbers lie from one row to the next."""
    return x.strides[0] // x.itemsize
