"""What stands between the matrix products: compiled where the C kernels were built, else by torch. Both in place."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from attar.engine.library import open_library
from attar.errors import MissingExtra
from attar.types import Floats, Ints

if TYPE_CHECKING:
    from attar.engine.compiled import CompiledKernels

Product = Callable[[Floats], Floats]  # (T, D in) -> (T, D out)
Activate = Callable[[Floats, Floats], Floats]  # f(x, bias): the activation of x + bias, which may overwrite x
Block = Callable[[Floats, Ints], Floats]  # (T, D), lengths (N) -> (T, D)


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


class InPlace:
    """An activation from a step that overwrites what it is given."""

    def __init__(self, step: Callable[[Floats, Floats], None]) -> None:
        self.step = step

    def __call__(self, x: Floats, bias: Floats) -> Floats:
        self.step(x, bias)
        return x


class Steps(NamedTuple):
    """A block of BERT-like models: its products with their biases, its norms and what is between."""

    qkv: Product
    qkv_bias: Floats
    mix: Product
    mix_bias: Floats
    attention_norm: Norm
    widen: Product
    wide_bias: Floats
    activate: Activate
    narrow: Product
    narrow_bias: Floats
    output_norm: Norm
    heads: int
    scale: float


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


@cache
def best_kernels() -> Kernels:
    """The compiled ones where they were built and the machine can run them."""
    compiled = compiled_kernels()
    return torch_kernels() if compiled is None else compiled


@cache
def compiled_kernels(limit: str | None = None) -> CompiledKernels | None:
    """None where they can't be had; `limit` keeps them to fewer instructions (see `attar.engine.library`)."""
    from attar.engine.compiled import CompiledKernels

    compiled = open_library(limit)
    return None if compiled is None else CompiledKernels(compiled)


@cache
def torch_kernels() -> Kernels:
    """The same steps by torch."""
    try:
        from attar.engine.torch_kernels import TorchKernels
    except ImportError:
        raise MissingExtra("running a transformer without the compiled kernels", "models") from None
    return TorchKernels()
