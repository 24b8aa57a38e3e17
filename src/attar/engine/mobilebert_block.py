"""A packed block of MobileBERT: many thin layers, whose norms are plain scalings.

The same sums as transformers' own block: products that share an input are one, and a bias, a residual and a scaling are
one pass. (Folding the scalings into the weights would save little more and costs a digit: numbers in the thousands
cancel out between the layers.)
"""

from __future__ import annotations

import torch
from torch import nn

from attar.engine.kernels import Kernels, Projected
from attar.engine.products import MakeProduct, Product, float32
from attar.engine.shared_weights import join_weights
from attar.types import Ints


class MobileBertBlock:
    """Runs one block on packed tokens; shares the weights of the module it stands in for."""

    def __init__(self, module: nn.Module, kernels: Kernels, product: MakeProduct) -> None:
        narrow, own = module.bottleneck, module.attention.self
        self._enter = product(join_weights([narrow.input.dense, narrow.attention.dense, own.value]))  # D -> 3 D'
        self._enter_bias = torch.cat([narrow.input.dense.bias, narrow.attention.dense.bias])
        self._enter_gain = torch.cat([narrow.input.LayerNorm.weight, narrow.attention.LayerNorm.weight])
        self._enter_offset = torch.cat([narrow.input.LayerNorm.bias, narrow.attention.LayerNorm.bias])
        self._query_key = product(join_weights([own.query, own.key]))  # D' -> 2 D'
        self._biases = own.query.bias, own.key.bias, own.value.bias
        self._mix = _Added(module.attention.output, kernels, product)
        feeds = [*module.ffn, module]
        self._widen = [(product(feed.intermediate.dense.weight), feed.intermediate.dense.bias) for feed in feeds]
        self._narrow = [_Added(feed.output, kernels, product) for feed in feeds]
        self._leave = _Added(module.output.bottleneck, kernels, product)
        self._heads, self._scale, self._kernels = own.num_attention_heads, own.scaling, kernels

    @classmethod
    def of(cls, module: nn.Module, kernels: Kernels, product: MakeProduct = float32) -> MobileBertBlock | None:
        """The block that stands in for the module, or None where it is of another kind."""
        if not (hasattr(module, "ffn") and hasattr(module, "bottleneck") and hasattr(module, "attention")):
            return None
        narrow = module.bottleneck
        usual = narrow.key_query_shared_bottleneck and not narrow.use_bottleneck_attention
        scaled = not isinstance(module.output.LayerNorm, nn.LayerNorm)
        return cls(module, kernels, product) if usual and scaled and _has_relu(module) else None

    def __call__(self, x: torch.Tensor, lengths: Ints) -> torch.Tensor:
        """Shape: (T, D), (N) -> (T, D)"""
        kernels = self._kernels
        entered = self._enter(x)
        entered[:, : len(self._enter_bias)].add_(self._enter_bias).mul_(self._enter_gain).add_(self._enter_offset)
        residual, shared, values = entered.chunk(3, dim=1)  # (T, D') each
        queries, keys = self._query_key(shared).chunk(2, dim=1)
        projected = Projected(queries, keys, values, *self._biases)
        state = self._mix(kernels.attention(projected, lengths, self._heads, self._scale), residual)
        for (widen, bias), narrow in zip(self._widen, self._narrow, strict=True):
            wide = widen(state)
            kernels.bias_relu(wide, bias)
            state = narrow(wide, state)
        return self._leave(state, x)


class _Added:
    """A dense layer, whose result is added to what came before and scaled."""

    def __init__(self, layer: nn.Module, kernels: Kernels, product: MakeProduct) -> None:
        self._product: Product = product(layer.dense.weight)
        self._bias, self._scaling, self._kernels = layer.dense.bias, layer.LayerNorm, kernels

    def __call__(self, x: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        out = self._product(x)
        self._kernels.add_scale(out, self._bias, before, self._scaling)
        return out


def _has_relu(module: nn.Module) -> bool:
    feeds = [module.intermediate, *(feed.intermediate for feed in module.ffn)]
    return all(isinstance(feed.intermediate_act_fn, nn.ReLU) for feed in feeds)
