"""What stands between the matrix products: compiled where the C kernels were built, else by torch. Both in place."""

from __future__ import annotations

import ctypes
import platform
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import NamedTuple, Protocol

import torch
from torch.nn.functional import layer_norm, scaled_dot_product_attention

from attar.engine.batching import length_groups
from attar.types import Ints

_ROWS, _KEYS = 4, 16  # as in _kernels.c


class Projected(NamedTuple):
    """Queries, keys and values, and the biases to be added to them. Shape: (T, D) and (D)

    Rows may stand apart, as where the three are parts of one product.
    """

    queries: torch.Tensor
    keys: torch.Tensor
    values: torch.Tensor
    query_bias: torch.Tensor
    key_bias: torch.Tensor
    value_bias: torch.Tensor


class Kernels(Protocol):
    """The steps of a block of which torch would make several passes over memory."""

    def attention(self, projected: Projected, lengths: Ints, heads: int, scale: float) -> torch.Tensor:
        """Each sequence attends to itself. Shape: lengths (N) -> (T, D)"""
        ...

    def bias_gelu(self, x: torch.Tensor, bias: torch.Tensor) -> None:
        """x = gelu(x + bias), the exact one. Shape: (T, D), (D)"""
        ...

    def bias_relu(self, x: torch.Tensor, bias: torch.Tensor) -> None:
        """x = max(x + bias, 0). Shape: (T, D), (D)"""
        ...

    def add_scale(self, x: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor, scaling: torch.nn.Module) -> None:
        """x = (x + bias + residual) * scaling.weight + scaling.bias. Shape: (T, D), (D), (T, D)"""
        ...

    def add_norm(self, x: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor, norm: torch.nn.LayerNorm) -> None:
        """x = norm(x + bias + residual). Shape: (T, D), (D), (T, D)"""
        ...


class TorchKernels:
    """The same by torch's own operations: the reference, and what runs where nothing was compiled."""

    def attention(self, projected: Projected, lengths: Ints, heads: int, scale: float) -> torch.Tensor:
        biased = [x + bias for x, bias in zip(projected[:3], projected[3:], strict=True)]
        q, k, v = (x.unflatten(1, (heads, -1)) for x in biased)  # (T, H, Dh)
        out = torch.empty(q.shape)
        start = 0
        for many, long in length_groups(lengths):
            end = start + many * long
            own = [x[start:end].unflatten(0, (many, long)).transpose(1, 2) for x in (q, k, v)]  # (many, H, long, Dh)
            attended = scaled_dot_product_attention(own[0], own[1], own[2], scale=scale)
            out[start:end].unflatten(0, (many, long)).copy_(attended.transpose(1, 2))
            start = end
        return out.flatten(1)

    def bias_gelu(self, x: torch.Tensor, bias: torch.Tensor) -> None:
        torch.ops.aten.gelu.out(x.add_(bias), out=x)

    def bias_relu(self, x: torch.Tensor, bias: torch.Tensor) -> None:
        x.add_(bias).relu_()

    def add_scale(self, x: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor, scaling: torch.nn.Module) -> None:
        x.add_(bias).add_(residual).mul_(scaling.weight).add_(scaling.bias)

    def add_norm(self, x: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor, norm: torch.nn.LayerNorm) -> None:
        x.copy_(layer_norm(x.add_(bias).add_(residual), norm.normalized_shape, norm.weight, norm.bias, norm.eps))


class CompiledKernels(TorchKernels):
    """One pass over memory each, in C; shapes that the C code does not serve go to torch."""

    def __init__(self, library: ctypes.CDLL) -> None:
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
        }.items():
            function = getattr(library, name)
            function.argtypes, function.restype = arguments, None
        self._library = library

    def attention(self, projected: Projected, lengths: Ints, heads: int, scale: float) -> torch.Tensor:
        n_tokens, dims = projected.queries.shape
        dh = dims // heads
        if dh % 8:
            return super().attention(projected, lengths, heads, scale)
        out = torch.empty(n_tokens, dims)
        scratch = torch.empty((dh + _ROWS) * (int(lengths.max()) + _KEYS) + _ROWS * dh)
        rows = [at for x in projected[:3] for at in (x.data_ptr(), x.stride(0))]
        biases = [bias.data_ptr() for bias in projected[3:]]
        sizes = lengths.ctypes.data, len(lengths), heads, dh
        self._library.attar_attention(*rows, *biases, *sizes, scale, scratch.data_ptr(), out.data_ptr())
        return out

    def bias_gelu(self, x: torch.Tensor, bias: torch.Tensor) -> None:
        self._library.attar_bias_gelu(x.data_ptr(), bias.data_ptr(), *x.shape)

    def bias_relu(self, x: torch.Tensor, bias: torch.Tensor) -> None:
        self._library.attar_bias_relu(x.data_ptr(), bias.data_ptr(), *x.shape)

    def add_scale(self, x: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor, scaling: torch.nn.Module) -> None:
        at = x.data_ptr(), bias.data_ptr(), residual.data_ptr(), residual.stride(0)
        self._library.attar_add_scale(*at, scaling.weight.data_ptr(), scaling.bias.data_ptr(), *x.shape)

    def add_norm(self, x: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor, norm: torch.nn.LayerNorm) -> None:
        if x.shape[1] % 8:
            super().add_norm(x, bias, residual, norm)
            return
        at = [array.data_ptr() for array in (x, bias, residual, norm.weight, norm.bias)]
        self._library.attar_add_norm(*at, norm.eps, *x.shape)


@cache
def best_kernels() -> Kernels:
    """The compiled ones where they were built and the machine can run them."""
    compiled = compiled_kernels()
    return TorchKernels() if compiled is None else compiled


def compiled_kernels() -> CompiledKernels | None:
    """None where no compiler was at hand when the package was installed, or the processor is too old."""
    if platform.machine().lower() in ("x86_64", "amd64") and not torch.backends.cpu.get_cpu_capability().startswith(
        "AVX"
    ):
        return None
    for ending in EXTENSION_SUFFIXES:
        path = Path(__file__).with_name("_kernels" + ending)
        if path.is_file():
            try:
                return CompiledKernels(ctypes.CDLL(str(path)))
            except (OSError, AttributeError):  # built for another machine, or by another version
                return None
    return None
