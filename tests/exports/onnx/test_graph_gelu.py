from __future__ import annotations

import torch
from torch import nn
from transformers.activations import GELUActivation

from attar.exports.onnx.graph_gelu import MixedGelu, mix_gelus


def test_the_same_as_torch() -> None:
    x = torch.linspace(-9, 9, 2001, dtype=torch.float64)
    assert (MixedGelu()(x) - nn.functional.gelu(x)).abs().max() < 3e-7
    by_hand = MixedGelu()(torch.tensor([1.0], dtype=torch.float64)).item()  # P(Z < 1)
    assert abs(by_hand - 0.8413447460685429) < 1e-7


def test_only_exact_ones_are_replaced() -> None:
    model = nn.Sequential(GELUActivation(), nn.GELU(), nn.GELU(approximate="tanh"), nn.Sequential(GELUActivation()))
    mix_gelus(model)
    assert [type(m).__name__ for m in model] == ["MixedGelu", "MixedGelu", "GELU", "Sequential"]
    assert isinstance(model[3][0], MixedGelu)
