"""The steps between the matrix products by torch's own operations: the reference, and what runs uncompiled."""

from __future__ import annotations

import torch
from torch.nn.functional import layer_norm, scaled_dot_product_attention

from attar.engine.batching import length_groups
from attar.engine.kernels import Norm, Projected
from attar.types import Floats, Ints


class TorchKernels:
    """Works on the arrays' own memory."""

    def attention(self, projected: Projected, lengths: Ints, heads: int, scale: float) -> Floats:
        q, k, v, *biases = map(_tensor, projected)
        q, k, v = ((x + bias).unflatten(1, (heads, -1)) for x, bias in zip((q, k, v), biases, strict=True))
        out = torch.empty(q.shape)  # (T, H, Dh)
        start = 0
        for many, long in length_groups(lengths):
            end = start + many * long
            own = [x[start:end].unflatten(0, (many, long)).transpose(1, 2) for x in (q, k, v)]  # (many, H, long, Dh)
            strange = (own[0] - own[0]).sum(-1, keepdim=True) + (own[1] - own[1]).sum((-2, -1), keepdim=True)
            attended = scaled_dot_product_attention(own[0], own[1], own[2], scale=scale)
            attended = attended + strange  # 0; NaN where a query or a key was not finite, to which torch may give zeros
            out[start:end].unflatten(0, (many, long)).copy_(attended.transpose(1, 2))
            start = end
        attended_rows: Floats = out.flatten(1).numpy()
        return attended_rows

    def bias_gelu(self, x: Floats, bias: Floats) -> None:
        inside = _tensor(x)
        torch.ops.aten.gelu.out(inside.add_(_tensor(bias)), out=inside)

    def bias_relu(self, x: Floats, bias: Floats) -> None:
        _tensor(x).add_(_tensor(bias)).relu_()

    def add_scale(self, x: Floats, bias: Floats, residual: Floats, scaling: Norm) -> None:
        inside = _tensor(x).add_(_tensor(bias)).add_(_tensor(residual))
        inside.mul_(_tensor(scaling.gain)).add_(_tensor(scaling.offset))

    def add_norm(self, x: Floats, bias: Floats, residual: Floats, norm: Norm) -> None:
        inside = _tensor(x).add_(_tensor(bias)).add_(_tensor(residual))
        gain, offset = _tensor(norm.gain), _tensor(norm.offset)
        inside.copy_(layer_norm(inside, gain.shape, gain, offset, norm.epsilon))


def _tensor(x: Floats) -> torch.Tensor:
    """In the array's own memory; of weights that are mapped from a file a copy, for torch warns of such memory."""
    return torch.from_numpy(x if x.flags.writeable else x.copy())
