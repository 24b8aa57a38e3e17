"""One weight for dense layers that read the same input."""

from __future__ import annotations

import torch
from torch import nn


def join_weights(layers: list[nn.Module]) -> torch.Tensor:
    """Their weights below each other; their own become views of it, so that nothing is held twice.

    Shape: (D out of all, D in)
    """
    weight = torch.cat([layer.weight.detach() for layer in layers])
    start = 0
    for layer in layers:
        layer.weight.data = weight[start : start + len(layer.weight)]
        start += len(layer.weight)
    return weight
