from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.special import ndtri
from torch import nn
from transformers.activations import GELUActivation

from attar.exports.onnx.graph_functions import MixedGelu, mix_gelus, normal_deviates


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


def test_normal_deviates() -> None:
    p = np.concatenate([np.linspace(0.001, 0.999, 999), [1e-7, 1e-5, 1 - 1e-5, 1 - 1e-7, 0.075, 0.925]])
    found = normal_deviates(torch.from_numpy(p)).numpy()
    np.testing.assert_allclose(found, ndtri(p), rtol=3e-7, atol=1e-9)
    # 97.5 % of a normal distribution lie below 1.959964
    assert normal_deviates(torch.tensor([0.5, 0.975], dtype=torch.float64)).tolist() == pytest.approx(
        [0, 1.959964], abs=1e-6
    )
