"""The matrix products of a block, by precision: our own where they were compiled, else by numpy; or by torch.

Our own add up every number in the same order in whatever row it stands, so a token gets the same numbers to the last
bit, whatever stands beside it; those of float32 and of 8-bit integers are the same on every processor.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache

import numpy as np

from attar.engine.compiled import CompiledKernels, PackedProduct
from attar.engine.kernels import Product, compiled_kernels
from attar.types import Floats

MakeProduct = Callable[[Floats], Product]  # from a weight (D out, D in)

log = logging.getLogger("attar")
_TINY = 1e-30  # as in _int8.h and _pack.c


def float32(weight: Floats) -> Product:
    """Exact, up to rounding."""
    return packed(weight, "float32") or numpy_float32(weight)


def bfloat16(weight: Floats) -> Product:
    """Weights and inputs of 8 binary digits, sums of 24."""
    own = packed(weight, "bfloat16")
    if own is None:
        _say_once("bfloat16", "this processor has no products of bfloat16 (avx512_bf16)")
        return rounded_bfloat16(weight)
    return own


def int8(weight: Floats) -> Product:
    """Weights have a scale for each dim that they give, inputs a scale and a zero for each token.

    Products that narrow read what comes out of an activation, where few numbers are large: 8 bits for all would cost
    more than half of what is lost, so these are of bfloat16, or where there are none of float32.
    """
    n_out, n_in = weight.shape
    if n_in > n_out:
        return packed(weight, "bfloat16") or float32(weight)
    own = packed(weight, "int8")
    if own is None:
        _say_once("int8", "the C kernels are not built for this machine")
        return numpy_int8(weight)
    return own


def packed(weight: Floats, precision: str, kernels: CompiledKernels | None = None) -> Product | None:
    """By our own code; None where it has no such products on this machine."""
    compiled = kernels if kernels is not None else compiled_kernels()
    made = None if compiled is None else compiled.pack(weight, precision)
    if compiled is None or made is None:
        return None
    return PackedProduct(compiled, made)


def numpy_float32(weight: Floats) -> Product:
    turned = np.ascontiguousarray(weight.T)  # a copy: numpy's libraries are slower on a matrix that lies the other way
    return lambda x: np.matmul(x, turned)


def torch_float32(weight: Floats) -> Product:
    """By torch, in the memory of the weight given: for models that torch holds anyway."""
    import torch

    turned = torch.from_numpy(weight).t()

    def product(x: Floats) -> Floats:
        out: Floats = torch.mm(torch.from_numpy(x), turned).numpy()
        return out

    return product


def rounded_bfloat16(weight: Floats) -> Product:
    """float32 products of numbers rounded to bfloat16: the same up to the order of sums."""
    exact = float32(to_bfloat16(weight))
    return lambda x: exact(to_bfloat16(x))


def to_bfloat16(x: Floats) -> Floats:
    """The nearest of bfloat16, of two the even one, as float32. Any shape"""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return np.where(np.isnan(x), x, rounded.view(np.float32)).astype(np.float32)


def numpy_int8(weight: Floats) -> Product:
    """The same numbers as the compiled products to the last bit: sums of integers are exact in float64 too."""
    sound = np.asarray(np.isfinite(weight).all(axis=1))
    most = np.abs(weight).max(axis=1)
    scales = np.where(most > _TINY, most / np.float32(127), 0).astype(np.float32)  # (D out,)
    scales[~sound] = np.nan  # so that what comes out is
    whole = (
        np.rint(np.where(sound[:, None], weight, 0) * _inverse(scales)[:, None]).astype(np.float64).T
    )  # (D in, D out)
    sums = whole.sum(axis=0)

    def product(x: Floats) -> Floats:
        rows, row_scales, zeros = quantize_rows(x)
        exact = rows.astype(np.float64) @ whole - zeros[:, None] * sums
        out: Floats = exact.astype(np.float32) * (row_scales[:, None] * scales)
        return out

    return product


def quantize_rows(x: Floats) -> tuple[Floats, Floats, Floats]:
    """Whole numbers 0 to 255, the scale of each row and its zero: x is about (rows - zero) * scale.

    A row with a number that is not finite has the scale NaN. Shape: (T, D) -> (T, D), (T,), (T,)
    """
    low, high = np.minimum(x.min(axis=1), 0), np.maximum(x.max(axis=1), 0)
    scales = ((high - low) / np.float32(255)).astype(np.float32)
    scales = np.where(scales > _TINY, scales, np.where(np.isfinite(x).all(axis=1), np.float32(0), np.float32(np.nan)))
    scales[~np.isfinite(x).all(axis=1)] = np.nan
    inverse = _inverse(scales)
    zeros = np.rint(-np.where(np.isfinite(low), low, 0) * inverse)
    rows = np.minimum(np.rint(np.where(np.isfinite(x), x, 0) * inverse[:, None]) + zeros[:, None], 255)
    return rows, scales, zeros


def _inverse(scales: Floats) -> Floats:
    return np.divide(np.float32(1), scales, out=np.zeros_like(scales), where=scales > 0)


@cache
def _say_once(precision: str, why: str) -> None:
    log.warning("precision=%r: %s, so it is no faster than 'float32' here", precision, why)


PRODUCTS: dict[str, MakeProduct] = {"float32": float32, "bfloat16": bfloat16, "int8": int8}
