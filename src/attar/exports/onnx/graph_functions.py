"""Functions that ONNX Runtime lacks, from operations that every graph has: the normal quantile, GELU in float64."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from transformers.activations import GELUActivation

from attar.encoders.normals import MIDDLE, middle_deviates, tail_deviates


def normal_deviates(p: Tensor) -> Tensor:
    """z with P(Z < z) = p, for p from 1e-10 to 1 - 1e-10."""
    q = p - 0.5
    tail = torch.sign(q) * tail_deviates((-torch.minimum(p, 1 - p).log()).sqrt())
    return torch.where(q.abs() <= MIDDLE, middle_deviates(q), tail)


class MixedGelu(nn.Module):  # type: ignore[misc]
    """float64 around an error function in float32, which is off by 6e-8 at most; ONNX Runtime has no other."""

    def forward(self, x: Tensor) -> Tensor:
        return 0.5 * x * (1 + torch.erf((x * 0.5**0.5).float()).double())


def mix_gelus(model: nn.Module) -> None:
    """Put it in the place of every GELU that is exact (others have no error function)."""
    for module in model.modules():
        for name, child in module.named_children():
            if isinstance(child, GELUActivation) or (isinstance(child, nn.GELU) and child.approximate == "none"):
                setattr(module, name, MixedGelu())
