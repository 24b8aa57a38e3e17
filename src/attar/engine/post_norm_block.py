"""A packed block of BERT-like models: attention, then two dense layers, each followed by a residual and a norm.

The same sums as transformers' own block, in four matrix products and four passes over memory: queries, keys and values
come from one product, and biases are added where the next step reads anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attar.engine.kernels import Kernels, Norm, Projected
from attar.engine.parts import Parts
from attar.engine.products import MakeProduct
from attar.types import Floats, Ints

Activate = Callable[[Floats, Floats], Floats]  # f(x, bias): the activation of x + bias, which may overwrite x


class Layout(NamedTuple):
    """Where an architecture's block keeps its parts."""

    query: str
    key: str
    value: str
    mixed: str
    attention_norm: str
    widen: str
    narrow: str
    output_norm: str


BERT = Layout(
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
DISTILBERT = Layout(
    "attention.q_lin",
    "attention.k_lin",
    "attention.v_lin",
    "attention.out_lin",
    "sa_layer_norm",
    "ffn.lin1",
    "ffn.lin2",
    "output_layer_norm",
)
ALBERT = Layout(
    "attention.query",
    "attention.key",
    "attention.value",
    "attention.dense",
    "attention.LayerNorm",
    "ffn",
    "ffn_output",
    "full_layer_layer_norm",
)


class PostNormBlock:
    """Runs one block on packed tokens."""

    def __init__(
        self,
        parts: Parts,
        layout: Layout,
        width: int,
        heads: int,
        epsilon: float,
        activate: Activate,
        kernels: Kernels,
        product: MakeProduct,
    ) -> None:
        if width % heads:
            raise ValueError(f"{width} dims can't be shared by {heads} heads")
        ways_in = parts.joined([layout.query, layout.key, layout.value]).checked(3 * width, width)
        mix, wide = parts.dense(layout.mixed).checked(width, width), parts.dense(layout.widen)
        wide = wide.checked(len(wide.bias), width)
        narrow = parts.dense(layout.narrow).checked(width, len(wide.bias))
        self._qkv, self._biases = product(ways_in.weight), np.split(ways_in.bias, 3)
        self._mix, self._mix_bias = product(mix.weight), mix.bias
        self._widen, self._wide_bias = product(wide.weight), wide.bias
        self._narrow, self._narrow_bias = product(narrow.weight), narrow.bias
        self._attention_norm = Norm(*parts.scaling(layout.attention_norm, width), epsilon)
        self._output_norm = Norm(*parts.scaling(layout.output_norm, width), epsilon)
        self._width, self.heads, self.scale = width, heads, (width // heads) ** -0.5
        self._activate, self._kernels = activate, kernels

    def __call__(self, x: Floats, lengths: Ints) -> Floats:
        """Shape: (T, D), (N) -> (T, D)"""
        kernels = self._kernels
        mixed = self._mix(kernels.attention(self.projected(x), lengths, self.heads, self.scale))
        kernels.add_norm(mixed, self._mix_bias, x, self._attention_norm)
        wide = self._activate(self._widen(mixed), self._wide_bias)
        out = self._narrow(wide)
        kernels.add_norm(out, self._narrow_bias, mixed, self._output_norm)
        return out

    def projected(self, x: Floats) -> Projected:
        """What the attention sees of its input. Shape: (T, D)"""
        width = self._width
        qkv = self._qkv(x)  # (T, 3 D)
        return Projected(qkv[:, :width], qkv[:, width : 2 * width], qkv[:, 2 * width :], *self._biases)


def in_place(step: Callable[[Floats, Floats], None]) -> Activate:
    def run(x: Floats, bias: Floats) -> Floats:
        step(x, bias)
        return x

    return run
