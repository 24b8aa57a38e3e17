"""A packed block of BERT and its kin: attention, then two dense layers, each followed by a residual and a norm.

The same sums as transformers' own block, in four matrix products and four passes over memory: queries, keys and values
come from one product, and biases are added where the next step reads anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

import torch
from torch import nn

from attar.engine.kernels import Kernels, Projected
from attar.engine.products import MakeProduct, float32
from attar.engine.shared_weights import join_weights
from attar.types import Ints


class _Layout(NamedTuple):
    """Where an architecture's block keeps its parts."""

    query: str
    key: str
    value: str
    mixed: str
    attention_norm: str
    widen: str
    narrow: str
    output_norm: str
    activation: str
    heads: str
    scale: str


_BERT = _Layout(
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
    "intermediate.intermediate_act_fn",
    "attention.self.num_attention_heads",
    "attention.self.scaling",
)
_DISTILBERT = _Layout(
    "attention.q_lin",
    "attention.k_lin",
    "attention.v_lin",
    "attention.out_lin",
    "sa_layer_norm",
    "ffn.lin1",
    "ffn.lin2",
    "output_layer_norm",
    "ffn.activation",
    "attention.n_heads",
    "attention.scaling",
)
_ALBERT = _Layout(
    "attention.query",
    "attention.key",
    "attention.value",
    "attention.dense",
    "attention.LayerNorm",
    "ffn",
    "ffn_output",
    "full_layer_layer_norm",
    "activation",
    "attention.num_attention_heads",
    "attention.scaling",
)


class PostNormBlock:
    """Runs one block on packed tokens; shares the weights of the module it stands in for."""

    def __init__(self, module: nn.Module, layout: _Layout, kernels: Kernels, product: MakeProduct) -> None:
        part: Callable[[str], nn.Module] = module.get_submodule
        self._kernels = kernels
        ways_in = [part(layout.query), part(layout.key), part(layout.value)]
        self._qkv = product(join_weights(ways_in))
        self._biases = [way.bias for way in ways_in]
        dense = [part(name) for name in (layout.mixed, layout.widen, layout.narrow)]
        self._mix, self._widen, self._narrow = (product(layer.weight) for layer in dense)
        self._mix_bias, self._wide_bias, self._narrow_bias = (layer.bias for layer in dense)
        self._attention_norm, self._output_norm = part(layout.attention_norm), part(layout.output_norm)
        self._activate = _activation(part(layout.activation), kernels)
        self._heads = int(attrgetter(layout.heads)(module))
        self._scale = float(attrgetter(layout.scale)(module))

    @classmethod
    def of(cls, module: nn.Module, kernels: Kernels, product: MakeProduct = float32) -> PostNormBlock | None:
        """The block that stands in for the module, or None where it is of another kind."""
        for layout in (_BERT, _DISTILBERT, _ALBERT):
            try:
                return cls(module, layout, kernels, product)
            except (AttributeError, RuntimeError):  # a part is not there, or weights do not fit together
                continue
        return None

    def __call__(self, x: torch.Tensor, lengths: Ints) -> torch.Tensor:
        """Shape: (T, D), (N) -> (T, D)"""
        kernels = self._kernels
        projected = Projected(*self._qkv(x).chunk(3, dim=1), *self._biases)
        attended = kernels.attention(projected, lengths, self._heads, self._scale)
        mixed = self._mix(attended)
        kernels.add_norm(mixed, self._mix_bias, x, self._attention_norm)
        wide = self._activate(self._widen(mixed), self._wide_bias)
        out = self._narrow(wide)
        kernels.add_norm(out, self._narrow_bias, mixed, self._output_norm)
        return out


def _activation(module: nn.Module, kernels: Kernels) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """f(x, bias): the activation of x + bias, which may overwrite x."""
    from transformers.activations import GELUActivation

    if isinstance(module, nn.ReLU):
        return _in_place(kernels.bias_relu)
    if isinstance(module, GELUActivation) or (isinstance(module, nn.GELU) and module.approximate == "none"):
        return _in_place(kernels.bias_gelu)
    return lambda x, bias: module(x.add_(bias))


def _in_place(
    step: Callable[[torch.Tensor, torch.Tensor], None],
) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    def run(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        step(x, bias)
        return x

    return run
