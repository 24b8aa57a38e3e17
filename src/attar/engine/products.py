"""The matrix products of a block: exact, or of 8-bit integers, which are faster and bend the vectors."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import torch

Product = Callable[[torch.Tensor], torch.Tensor]  # (T, D in) -> (T, D out)
MakeProduct = Callable[[torch.Tensor], Product]  # from a weight (D out, D in)

_TINY = 1e-30


def float32(weight: torch.Tensor) -> Product:
    turned = weight.t()
    return lambda x: torch.mm(x, turned)


def int8(weight: torch.Tensor) -> Product:
    """Weights have a scale for each dim that they give, inputs one for each token.

    torch scales the input as a whole; tokens brought to the same size before, and back after, have a scale of their own
    in effect, and do not depend on the other tokens of the batch. One bit of the input is left unused (`reduce_range`):
    without it, sums of pairs overflow on processors that have no 8-bit dot product of their own.
    """
    scales = weight.abs().amax(dim=1).clamp_(min=_TINY).double() / 127
    zeros = torch.zeros(len(weight), dtype=torch.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch announces that these will move to another package
        quantized = torch.quantize_per_channel(weight, scales, zeros, 0, torch.qint8)
        packed = torch.ops.quantized.linear_prepack(quantized, None)

    def product(x: torch.Tensor) -> torch.Tensor:
        sizes = x.abs().amax(dim=1, keepdim=True).clamp_(min=_TINY)  # (T, 1)
        out: torch.Tensor = torch.ops.quantized.linear_dynamic(x / sizes, packed, reduce_range=True)
        return out.mul_(sizes)

    return product


PRODUCTS: dict[str, MakeProduct] = {"float32": float32, "int8": int8}
