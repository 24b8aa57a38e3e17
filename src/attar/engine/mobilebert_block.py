"""A packed block of MobileBERT: many thin layers, whose norms are plain scalings.

The same sums as transformers' own block: products that share an input are one, and a bias, a residual and a scaling are
one pass. (Folding the scalings into the weights would save little more and costs a digit: numbers in the thousands
cancel out between the layers.)
"""

from __future__ import annotations

import numpy as np

from attar.engine.kernels import Kernels, Norm, Projected
from attar.engine.parts import Parts
from attar.engine.products import MakeProduct
from attar.types import Floats, Ints


class MobileBertBlock:
    """Runs one block on packed tokens; `feeds` counts its feed-forward networks but the last."""

    def __init__(
        self, parts: Parts, width: int, narrow: int, heads: int, feeds: int, kernels: Kernels, product: MakeProduct
    ) -> None:
        if narrow % heads:
            raise ValueError(f"{narrow} dims can't be shared by {heads} heads")
        ways_in = parts.joined(["bottleneck.input.dense", "bottleneck.attention.dense", "attention.self.value"])
        self._enter = product(ways_in.checked(3 * narrow, width).weight)
        self._enter_bias, value_bias = np.split(ways_in.bias, [2 * narrow])
        scalings = [parts.scaling(f"bottleneck.{way}.LayerNorm", narrow) for way in ("input", "attention")]
        self._enter_gain, self._enter_offset = (np.concatenate(both) for both in zip(*scalings, strict=True))
        query_key = parts.joined(["attention.self.query", "attention.self.key"])
        self._query_key = product(query_key.checked(2 * narrow, narrow).weight)
        self._biases = *np.split(query_key.bias, 2), value_bias
        self._mix = _Added(parts, "attention.output", narrow, narrow, kernels, product)
        self._widen, self._narrow = [], []
        for network in [*(f"ffn.{n}." for n in range(feeds)), ""]:
            wide = parts.dense(f"{network}intermediate.dense")
            wide = wide.checked(len(wide.bias), narrow)
            self._widen.append((product(wide.weight), wide.bias))
            self._narrow.append(_Added(parts, f"{network}output", narrow, len(wide.bias), kernels, product))
        self._leave = _Added(parts, "output.bottleneck", width, narrow, kernels, product)
        self.heads, self.scale, self._kernels = heads, (narrow // heads) ** -0.5, kernels

    def __call__(self, x: Floats, lengths: Ints) -> Floats:
        """Shape: (T, D), (N) -> (T, D)"""
        kernels = self._kernels
        residual, projected = self._enter_attention(x)
        state = self._mix(kernels.attention(projected, lengths, self.heads, self.scale), residual)
        for (widen, bias), narrow in zip(self._widen, self._narrow, strict=True):
            wide = widen(state)
            kernels.bias_relu(wide, bias)
            state = narrow(wide, state)
        return self._leave(state, x)

    def projected(self, x: Floats) -> Projected:
        """What the attention sees of its input. Shape: (T, D)"""
        return self._enter_attention(x)[1]

    def _enter_attention(self, x: Floats) -> tuple[Floats, Projected]:
        """The narrow residual, and what the attention sees. Shape: (T, D) -> (T, D'), (T, D')"""
        dims = len(self._biases[0])
        entered = self._enter(x)  # (T, 3 D')
        bottlenecks = entered[:, : 2 * dims]
        bottlenecks += self._enter_bias
        bottlenecks *= self._enter_gain
        bottlenecks += self._enter_offset
        residual, shared, values = entered[:, :dims], entered[:, dims : 2 * dims], entered[:, 2 * dims :]
        query_key = self._query_key(shared)
        return residual, Projected(query_key[:, :dims], query_key[:, dims:], values, *self._biases)


class _Added:
    """A dense layer, whose result is added to what came before and scaled."""

    def __init__(self, parts: Parts, name: str, n_out: int, n_in: int, kernels: Kernels, product: MakeProduct) -> None:
        dense = parts.dense(f"{name}.dense").checked(n_out, n_in)
        self._times, self._bias, self._kernels = product(dense.weight), dense.bias, kernels
        self._scaling = Norm(*parts.scaling(f"{name}.LayerNorm", n_out))

    def __call__(self, x: Floats, before: Floats) -> Floats:
        out = self._times(x)
        self._kernels.add_scale(out, self._bias, before, self._scaling)
        return out
