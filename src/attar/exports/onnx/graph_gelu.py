"""GELU in float64 for ONNX Runtime, which has the error function in float32 only."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from transformers.activations import GELUActivation


class MixedGelu(nn.Module):  # type: ignore[misc]
    """float64 around an error function in float32, which is off by 6e-8 at most."""

    def forward(self, x: Tensor) -> Tensor:
        return 0.5 * x * (1 + torch.erf((x * 0.5**0.5).float()).double())


def mix_gelus(model: nn.Module) -> None:
    """Put it in the place of every GELU that is exact (others have no error function)."""
    for module in model.modules():
        for name, child in module.named_children():
            if isinstance(child, GELUActivation) or (isinstance(child, nn.GELU) and child.approximate == "none"):
                setattr(module, name, MixedGelu())
