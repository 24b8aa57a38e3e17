"""A packed block of BERT-like models: attention, then two dense layers, each followed by a residual and a norm.

The same sums as transformers' own block, in four matrix products and four passes over memory: queries, keys and values
come from one product, and biases are added where the next step reads anyway.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attar.engine.joined_block import joined
from attar.engine.kernels import Activate, Kernels, Norm, Projected, Steps
from attar.engine.parts import Parts
from attar.engine.products import MakeProduct
from attar.types import Floats, Ints


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
        norms = [Norm(*parts.scaling(name, width), epsilon) for name in (layout.attention_norm, layout.output_norm)]
        self._steps = Steps(
            qkv=product(ways_in.weight),
            qkv_bias=ways_in.bias,
            mix=product(mix.weight),
            mix_bias=mix.bias,
            attention_norm=norms[0],
            widen=product(wide.weight),
            wide_bias=wide.bias,
            activate=activate,
            narrow=product(narrow.weight),
            narrow_bias=narrow.bias,
            output_norm=norms[1],
            heads=heads,
            scale=(width // heads) ** -0.5,
        )
        self.heads, self.scale, self._kernels = heads, self._steps.scale, kernels
        self._run = joined(kernels, self._steps) or self.step_by_step

    def __call__(self, x: Floats, lengths: Ints) -> Floats:
        """Shape: (T, D), (N) -> (T, D)"""
        return self._run(x, lengths)

    def step_by_step(self, x: Floats, lengths: Ints) -> Floats:
        """Shape: (T, D), (N) -> (T, D)"""
        kernels, steps = self._kernels, self._steps
        mixed = steps.mix(kernels.attention(self.projected(x), lengths, steps.heads, steps.scale))
        kernels.add_norm(mixed, steps.mix_bias, x, steps.attention_norm)
        wide = steps.activate(steps.widen(mixed), steps.wide_bias)
        out = steps.narrow(wide)
        kernels.add_norm(out, steps.narrow_bias, mixed, steps.output_norm)
        return out

    def projected(self, x: Floats) -> Projected:
        """What the attention sees of its input. Shape: (T, D)"""
        return Projected(*np.split(self._steps.qkv(x), 3, axis=1), *np.split(self._steps.qkv_bias, 3))
