"""Swaps the blocks of a torch model for faster ones that compute the same on packed sequences."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import torch
from torch import nn

from attar.engine import packing
from attar.engine.kernels import Activate, InPlace, Kernels
from attar.engine.mobilebert_block import MobileBertBlock
from attar.engine.module_parts import ModuleParts
from attar.engine.post_norm_block import ALBERT, BERT, DISTILBERT, PostNormBlock
from attar.engine.products import MakeProduct, torch_float32
from attar.types import Floats, Ints

FastBlock = Callable[[Floats, Ints], Floats]  # (T, D), lengths (N) -> (T, D)

# Where a block of each layout keeps its activation and its number of heads.
_POST_NORM = {
    BERT: ("intermediate.intermediate_act_fn", "attention.self.num_attention_heads"),
    DISTILBERT: ("ffn.activation", "attention.n_heads"),
    ALBERT: ("activation", "attention.num_attention_heads"),
}


def replace_blocks(
    model: nn.Module, kernels: Kernels, product: MakeProduct = torch_float32
) -> Callable[[], None] | None:
    """Replace all supported blocks by fast ones; returns a function that undoes it, or None without such blocks."""
    if any(parameter.dtype != torch.float32 for parameter in model.parameters()):
        return None
    swapped = []
    with torch.inference_mode(False), torch.no_grad():  # joined weights must stay fit for other uses of the model
        for module in model.modules():
            fast = _mobilebert(module, kernels, product) or _post_norm(module, kernels, product)
            if fast is not None:
                swapped.append(module)
                module.forward = _instead(fast, module.forward)

    def undo() -> None:
        for module in swapped:
            del module.forward  # the class's own shows again

    return undo if swapped else None


def _post_norm(module: nn.Module, kernels: Kernels, product: MakeProduct) -> FastBlock | None:
    for layout, (activation, heads) in _POST_NORM.items():
        try:
            norms = [module.get_submodule(name) for name in (layout.attention_norm, layout.output_norm)]
            activate = _activation(module.get_submodule(activation), kernels)
            n_heads, width, epsilon = int(attrgetter(heads)(module)), norms[0].normalized_shape[0], norms[0].eps
            if norms[1].eps == epsilon:
                return PostNormBlock(ModuleParts(module), layout, width, n_heads, epsilon, activate, kernels, product)
        except (AttributeError, LookupError, ValueError, RuntimeError):  # a part is missing or does not fit
            continue
    return None


def _mobilebert(module: nn.Module, kernels: Kernels, product: MakeProduct) -> FastBlock | None:
    if not (hasattr(module, "ffn") and hasattr(module, "bottleneck") and hasattr(module, "attention")):
        return None
    narrow = module.bottleneck
    usual = narrow.key_query_shared_bottleneck and not narrow.use_bottleneck_attention
    scaled = not isinstance(module.output.LayerNorm, nn.LayerNorm)
    feeds = [module.intermediate, *(feed.intermediate for feed in module.ffn)]
    if not (usual and scaled and all(isinstance(feed.intermediate_act_fn, nn.ReLU) for feed in feeds)):
        return None
    own, dense = module.attention.self, module.bottleneck.input.dense
    sizes = dense.in_features, dense.out_features, own.num_attention_heads, len(module.ffn)
    try:
        return MobileBertBlock(ModuleParts(module), *sizes, kernels, product)
    except (LookupError, ValueError):
        return None


def _instead(fast: FastBlock, plain: Callable[..., Any]) -> Callable[..., Any]:
    def forward(hidden_states: torch.Tensor, attention_mask: Any = None, *args: Any, **kwargs: Any) -> Any:
        lengths = packing.current_lengths()
        if lengths is None or attention_mask is not None:
            return plain(hidden_states, attention_mask, *args, **kwargs)
        return torch.from_numpy(fast(hidden_states[0].contiguous().numpy(), lengths))[None]

    return forward


def _activation(module: nn.Module, kernels: Kernels) -> Activate:
    from transformers.activations import GELUActivation

    if isinstance(module, nn.ReLU):
        return InPlace(kernels.bias_relu)
    if isinstance(module, GELUActivation) or (isinstance(module, nn.GELU) and module.approximate == "none"):
        return InPlace(kernels.bias_gelu)

    def run(x: Floats, bias: Floats) -> Floats:
        active: Floats = module(torch.from_numpy(x).add_(torch.from_numpy(bias))).numpy()
        return active

    return run
