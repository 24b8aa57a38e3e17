"""The matrix products of a block: exact, by our own code, numpy or torch; or of 8-bit integers, which bend vectors."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from attar.engine.kernels import CompiledKernels, compiled_kernels
from attar.errors import MissingExtra
from attar.types import Floats

Product = Callable[[Floats], Floats]  # (T, D in) -> (T, D out)
MakeProduct = Callable[[Floats], Product]  # from a weight (D out, D in)

_TINY = 1e-30


def float32(weight: Floats) -> Product:
    """Our own where it is no slower: a token gets the same numbers to the last bit, whatever stands beside it."""
    compiled = compiled_kernels()
    if compiled is None or not compiled.fast_products:
        return numpy_float32(weight)
    return packed_float32(weight, compiled)


def packed_float32(weight: Floats, kernels: CompiledKernels) -> Product:
    packed, n = kernels.pack(weight), len(weight)
    return lambda x: kernels.times(x, packed, n)


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


def int8(weight: Floats) -> Product:
    """Weights have a scale for each dim that they give, inputs one for each token.

    torch scales the input as a whole; tokens brought to the same size before, and back after, have a scale of their own
    in effect, and do not depend on the other tokens of the batch. One bit of the input is left unused (`reduce_range`):
    without it, sums of pairs overflow on processors that have no 8-bit dot product of their own.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtra("precision='int8'", "models") from None
    given = torch.tensor(weight)
    scales = given.abs().amax(dim=1).clamp_(min=_TINY).double() / 127
    zeros = torch.zeros(len(given), dtype=torch.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch announces that these will move to another package
        quantized = torch.quantize_per_channel(given, scales, zeros, 0, torch.qint8)
        packed = torch.ops.quantized.linear_prepack(quantized, None)

    def product(array: Floats) -> Floats:
        x = torch.from_numpy(array)
        sizes = x.abs().amax(dim=1, keepdim=True).clamp_(min=_TINY)  # (T, 1)
        out = torch.ops.quantized.linear_dynamic(x / sizes, packed, reduce_range=True)
        scaled: Floats = out.mul_(sizes).numpy()
        return scaled

    return product


PRODUCTS: dict[str, MakeProduct] = {"float32": float32, "int8": int8}
