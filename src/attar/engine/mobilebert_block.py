"""A packed block of MobileBERT: many thin layers, whose norms are plain scalings.

The same sums as transformers' own block: products that share an input are one, and a bias, a residual and a scaling are
one pass. (Folding the scalings into the weights would save little more and costs a digit: numbers in the thousands
cancel out between the layers.)
"""

from __future__ import annotations

import torch
from torch import nn

from attar.engine.kernels import Kernels, Projected
from attar.engine.shared_weights import join_weights
from attar.types import Ints


class MobileBertBlock:
    """Runs one block on packed tokens; shares the weights of the module it stands in for."""

    def __init__(self, module: nn.Module, kernels: Kernels) -> None:
        narrow, own = module.bottleneck, module.attention.self
        self._enter = join_weights([narrow.input.dense, narrow.attention.dense, own.value])  # (3 D', D)
        self._enter_bias = torch.cat([narrow.input.dense.bias, narrow.attention.dense.bias])
        self._enter_gain = torch.cat([narrow.input.LayerNorm.weight, narrow.attention.LayerNorm.weight])
        self._enter_offset = torch.cat([narrow.input.LayerNorm.bias, narrow.attention.LayerNorm.bias])
        self._query_key = join_weights([own.query, own.key])  # (2 D', D')
        self._biases = own.query.bias, own.key.bias, own.value.bias
        self._mixed = module.attention.output
        self._feeds = [(feed.intermediate.dense, feed.output) for feed in module.ffn]
        self._feeds.append((module.intermediate.dense, module.output))
        self._leave = module.output.bottleneck
        self._heads, self._scale, self._kernels = own.num_attention_heads, own.scaling, kernels

    @classmethod
    def of(cls, module: nn.Module, kernels: Kernels) -> MobileBertBlock | None:
        """The block that stands in for the module, or None where it is of another kind."""
        if not (hasattr(module, "ffn") and hasattr(module, "bottleneck") and hasattr(module, "attention")):
            return None
        narrow = module.bottleneck
        usual = narrow.key_query_shared_bottleneck and not narrow.use_bottleneck_attention
        scaled = not isinstance(module.output.LayerNorm, nn.LayerNorm)
        return cls(module, kernels) if usual and scaled and _has_relu(module) else None

    def __call__(self, x: torch.Tensor, lengths: Ints) -> torch.Tensor:
        """Shape: (T, D), (N) -> (T, D)"""
        kernels = self._kernels
        entered = torch.mm(x, self._enter.t())
        entered[:, : len(self._enter_bias)].add_(self._enter_bias).mul_(self._enter_gain).add_(self._enter_offset)
        residual, shared, values = entered.chunk(3, dim=1)  # (T, D') each
        queries, keys = torch.mm(shared, self._query_key.t()).chunk(2, dim=1)
        projected = Projected(queries, keys, values, *self._biases)
        state = self._add(kernels.attention(projected, lengths, self._heads, self._scale), self._mixed, residual)
        for widen, narrow in self._feeds:
            wide = torch.mm(state, widen.weight.t())
            kernels.bias_relu(wide, widen.bias)
            state = self._add(wide, narrow, state)
        return self._add(state, self._leave, x)

    def _add(self, x: torch.Tensor, layer: nn.Module, residual: torch.Tensor) -> torch.Tensor:
        out = torch.mm(x, layer.dense.weight.t())
        self._kernels.add_scale(out, layer.dense.bias, residual, layer.LayerNorm)
        return out


def _has_relu(module: nn.Module) -> bool:
    feeds = [module.intermediate, *(feed.intermediate for feed in module.ffn)]
    return all(isinstance(feed.intermediate_act_fn, nn.ReLU) for feed in feeds)
