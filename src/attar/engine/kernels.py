"""What stands between the matrix products: compiled where the C kernels were built, else by torch. Both in place."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from attar.errors import MissingExtra
from attar.types import Floats, Ints

_ROWS, _KEYS = 4, 16  # as in _kernels.c
_PANEL, _SCRATCH = 16, 96 * 192  # as in _products.c


class Projected(NamedTuple):
    """Queries, keys and values, and the biases to be added to them. Shape: (T, D) and (D)

    Rows may stand apart, as where the three are parts of one product.
    """

    queries: Floats
    keys: Floats
    values: Floats
    query_bias: Floats
    key_bias: Floats
    value_bias: Floats


class Norm(NamedTuple):
    """What a layer norm, or a plain scaling (whose epsilon nobody reads), has learned. Shape: (D)"""

    gain: Floats
    offset: Floats
    epsilon: float = 0.0


class Kernels(Protocol):
    """The steps of a block of which plain array operations would make several passes over memory."""

    def attention(self, projected: Projected, lengths: Ints, heads: int, scale: float) -> Floats:
        """Each sequence attends to itself. Shape: lengths (N) -> (T, D)"""
        ...

    def bias_gelu(self, x: Floats, bias: Floats) -> None:
        """x = gelu(x + bias), the exact one. Shape: (T, D), (D)"""
        ...

    def bias_relu(self, x: Floats, bias: Floats) -> None:
        """x = max(x + bias, 0). Shape: (T, D), (D)"""
        ...

    def add_scale(self, x: Floats, bias: Floats, residual: Floats, scaling: Norm) -> None:
        """x = (x + bias + residual) * gain + offset. Shape: (T, D), (D), (T, D)"""
        ...

    def add_norm(self, x: Floats, bias: Floats, residual: Floats, norm: Norm) -> None:
        """x = norm(x + bias + residual). Shape: (T, D), (D), (T, D)"""
        ...


class CompiledKernels:
    """One pass over memory each, in C; heads of a width that the C code does not serve go to torch."""

    def __init__(self, library: ctypes.CDLL, fast_products: bool) -> None:
        self.fast_products = fast_products  # `times` is no slower here than the libraries of products
        pointer, number, real = ctypes.c_void_p, ctypes.c_int64, ctypes.c_float
        for name, arguments in {
            "attar_attention": [
                *(pointer, number, pointer, number, pointer, number),
                *(pointer, pointer, pointer, pointer, number, number, number, real, pointer, pointer),
            ],
            "attar_bias_gelu": [pointer, pointer, number, number],
            "attar_bias_relu": [pointer, pointer, number, number],
            "attar_add_scale": [pointer, pointer, pointer, number, pointer, pointer, number, number],
            "attar_add_norm": [pointer, pointer, pointer, pointer, pointer, real, number, number],
            "attar_pack": [pointer, number, number, pointer],
            "attar_times": [pointer, number, pointer, number, number, number, pointer, pointer],
        }.items():
            function = getattr(library, name)
            function.argtypes, function.restype = arguments, None
        self._library = library

    def attention(self, projected: Projected, lengths: Ints, heads: int, scale: float) -> Floats:
        n_tokens, dims = projected.queries.shape
        dh = dims // heads
        if dh % 8:
            return _torch_kernels().attention(projected, lengths, heads, scale)
        out = np.empty((n_tokens, dims), dtype=np.float32)
        scratch = np.empty((dh + _ROWS) * (int(lengths.max()) + _KEYS) + _ROWS * dh, dtype=np.float32)
        rows = [at for x in projected[:3] for at in (_at(x), _stride(x))]
        biases = [_at(bias) for bias in projected[3:]]
        sizes = lengths.ctypes.data, len(lengths), heads, dh
        self._library.attar_attention(*rows, *biases, *sizes, scale, _at(scratch), _at(out))
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

    def pack(self, weight: Floats) -> Floats:
        """A weight as `times` reads it. Shape: (D out, D in)"""
        given = np.ascontiguousarray(weight)
        n, k = given.shape
        packed = np.empty(k * -(-n // _PANEL) * _PANEL, dtype=np.float32)
        self._library.attar_pack(_at(given), n, k, _at(packed))
        return packed

    def times(self, x: Floats, packed: Floats, n: int) -> Floats:
        """x times the transpose of a packed weight of n rows. Shape: (T, D in) -> (T, n)"""
        rows, k = x.shape
        out = np.empty((rows, n), dtype=np.float32)
        scratch = np.empty(_SCRATCH, dtype=np.float32)
        self._library.attar_times(_at(x), _stride(x), _at(packed), rows, n, k, _at(scratch), _at(out))
        return out


def _at(x: Floats) -> int:
    return x.ctypes.data


def _stride(x: Floats) -> int:
    """How many floats lie from one row to the next."""
    return x.strides[0] // x.itemsize


@cache
def best_kernels() -> Kernels:
    """The compiled ones where they were built and the machine can run them."""
    compiled = compiled_kernels()
    return _torch_kernels() if compiled is None else compiled


@cache
def compiled_kernels() -> CompiledKernels | None:
    """None where no compiler was at hand when the package was installed, or the processor is too old."""
    for ending in EXTENSION_SUFFIXES:
        path = Path(__file__).with_name("_kernels" + ending)
        if path.is_file():
            try:
                library = ctypes.CDLL(str(path))
                how_much: int = library.attar_runs_here()
                return CompiledKernels(library, how_much > 1) if how_much else None
            except (OSError, AttributeError):  # built for another machine, or by another version
                return None
    return None


@cache
def _torch_kernels() -> Kernels:
    try:
        from attar.engine.torch_kernels import TorchKernels
    except ImportError:
        raise MissingExtra("running a transformer without the compiled kernels", "models") from None
    return TorchKernels()
