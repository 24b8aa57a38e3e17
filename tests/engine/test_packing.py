"""Packed attention against attention over each sequence alone."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from attar.engine import packing

GROUPS = [(2, 5), (1, 3), (3, 1)]
T = 16


def draw(heads: int, seed: int) -> torch.Tensor:
    return torch.randn(1, heads, T, 4, generator=torch.Generator().manual_seed(seed))


def alone(query, key, value, mask_of=lambda length: None, scale=None) -> torch.Tensor:
    """Shape: (1, H, T, Dh) each; result (1, T, H, Dh)"""
    out, start = [], 0
    for length in [long for many, long in GROUPS for _ in range(many)]:
        own = [x[:, :, start : start + length] for x in (query, key, value)]
        out.append(scaled_dot_product_attention(*own, attn_mask=mask_of(length), scale=scale))
        start += length
    return torch.cat(out, dim=2).transpose(1, 2)


def run(query, key, value, causal=False, **settings) -> torch.Tensor:
    module = torch.nn.Module()
    module.is_causal = causal
    with packing.packed(GROUPS):
        out, weights = packing.packed_attention(module, query, key, value, None, **settings)
    assert weights is None
    return out


def near(length: int, window: int, causal: bool) -> torch.Tensor:
    rows = [[abs(i - j) < window and (j <= i or not causal) for j in range(length)] for i in range(length)]
    return torch.tensor(rows)


def test_each_sequence_sees_itself_alone():
    q, k, v = (draw(2, seed) for seed in range(3))
    torch.testing.assert_close(run(q, k, v, scaling=0.3), alone(q, k, v, scale=0.3))


def test_causal_and_grouped_heads():
    q, k, v = draw(4, 0), draw(2, 1), draw(2, 2)
    shared = [x.repeat_interleave(2, dim=1) for x in (k, v)]
    wanted = alone(q, *shared, mask_of=lambda length: near(length, 99, causal=True))
    torch.testing.assert_close(run(q, k, v, causal=True), wanted)


@pytest.mark.parametrize("causal", [False, True])
def test_windows_shorter_than_the_sequence(causal):
    q, k, v = (draw(2, seed) for seed in range(3))
    wanted = alone(q, k, v, mask_of=lambda length: near(length, 2, causal))
    torch.testing.assert_close(run(q, k, v, causal=causal, sliding_window=2), wanted)


@pytest.mark.parametrize("setting", ["position_bias", "softcap", "s_aux", "head_mask"])
def test_what_packing_can_not_give_is_said(setting):
    q = draw(2, 0)
    with pytest.raises(packing.CannotPack):
        run(q, q, q, **{setting: torch.ones(1)})


def test_a_mask_or_a_pass_outside_of_packing_is_refused():
    q = draw(2, 0)
    with pytest.raises(packing.CannotPack):
        packing.packed_attention(torch.nn.Module(), q, q, q, None)
    with packing.packed(GROUPS), pytest.raises(packing.CannotPack):
        packing.packed_attention(torch.nn.Module(), q, q, q, torch.ones(1))
