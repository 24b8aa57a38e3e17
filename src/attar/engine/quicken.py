"""Swaps the blocks of a model for faster ones that compute the same on packed sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from attar.engine import packing
from attar.engine.kernels import Kernels
from attar.engine.mobilebert_block import MobileBertBlock
from attar.engine.post_norm_block import PostNormBlock
from attar.engine.products import MakeProduct, float32
from attar.types import Ints

FastBlock = Callable[[torch.Tensor, Ints], torch.Tensor]  # (T, D), lengths (N) -> (T, D)


def quicken(model: nn.Module, kernels: Kernels, product: MakeProduct = float32) -> Callable[[], None] | None:
    """Put fast blocks in place of all that are known; returns how to undo it, or None where there are none."""
    if any(parameter.dtype != torch.float32 for parameter in model.parameters()):
        return None
    swapped = []
    with torch.inference_mode(False), torch.no_grad():  # joined weights must stay fit for other uses of the model
        for module in model.modules():
            fast: FastBlock | None = MobileBertBlock.of(module, kernels, product)
            fast = fast or PostNormBlock.of(module, kernels, product)
            if fast is not None:
                swapped.append(module)
                module.forward = _instead(fast, module.forward)

    def undo() -> None:
        for module in swapped:
            del module.forward  # the class's own shows again

    return undo if swapped else None


def _instead(fast: FastBlock, plain: Callable[..., Any]) -> Callable[..., Any]:
    def forward(hidden_states: torch.Tensor, attention_mask: Any = None, *args: Any, **kwargs: Any) -> Any:
        lengths = packing.current_lengths()
        if lengths is None or attention_mask is not None:
            return plain(hidden_states, attention_mask, *args, **kwargs)
        return fast(hidden_states[0].contiguous(), lengths)[None]

    return forward
