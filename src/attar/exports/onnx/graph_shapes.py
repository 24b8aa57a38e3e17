"""Shapers in a graph, in float64."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from attar.exports.fitted_parts import Step
from attar.exports.onnx.graph_functions import normal_deviates
from attar.shapers import Quantile
from attar.shapers.affine import Affine
from attar.shapers.quantile import EDGE


def shape_module(step: Step) -> nn.Module:
    if isinstance(step, Affine):
        return AffineShape(step)
    return QuantileShape(step) if isinstance(step, Quantile) else UnitShape()


class AffineShape(nn.Module):  # type: ignore[misc]
    """x @ matrix + offset"""

    def __init__(self, step: Affine) -> None:
        super().__init__()
        self.by_scale = step.matrix is None
        self.linear = nn.Buffer(torch.from_numpy(step.linear))
        self.offset = nn.Buffer(torch.from_numpy(step.offset))

    def forward(self, x: Tensor) -> Tensor:
        product = x * self.linear if self.by_scale else torch.matmul(x, self.linear)
        return product + self.offset


class UnitShape(nn.Module):  # type: ignore[misc]
    """x / |x|; zeros stay."""

    def forward(self, x: Tensor) -> Tensor:
        length = (x * x).sum(dim=1, keepdim=True).sqrt()
        return x / torch.where(length > 0, length, torch.ones_like(length))


_NOISE = 4e-6  # by which part a number may differ between two ways to run the same model
_ROUNDING = 1e-9  # by which part quantiles of equal float32 values may differ


class QuantileShape(nn.Module):  # type: ignore[misc]
    """The share of fitted values below x, linear between quantiles, found by halving: a graph has no other search.

    The share jumps where fitted values are equal. A value that differs from such a one by noise only is taken for it:
    for the float32 that was fitted, which quantiles may miss by their last bits.
    """

    def __init__(self, step: Quantile) -> None:
        super().__init__()
        quantiles = torch.from_numpy(step.quantiles_)  # (D, Q)
        n_dims, self.n_quantiles = quantiles.shape
        self.halvings = [2**i for i in reversed(range(self.n_quantiles.bit_length()))]
        self.width = 2 * self.halvings[0]
        filled = torch.full((n_dims, self.width), math.inf, dtype=torch.float64)
        filled[:, : self.n_quantiles] = quantiles
        self.quantiles = nn.Buffer(filled.reshape(-1))
        self.rows = nn.Buffer(torch.arange(n_dims) * self.width)  # where each dim's quantiles begin
        jumps = torch.zeros((n_dims, self.width), dtype=torch.bool)
        equal = quantiles.diff(dim=1) <= _ROUNDING * quantiles.abs()[:, 1:]
        jumps[:, : self.n_quantiles - 1] = equal
        jumps[:, 1 : self.n_quantiles] |= equal
        jumps[:, [0, self.n_quantiles - 1]] = True  # the ends, where normal deviates are steep
        self.jumps = nn.Buffer(jumps.reshape(-1))
        usual = quantiles.square().mean().sqrt()  # noise does not shrink with a dim
        self.noise = nn.Buffer(_NOISE * torch.maximum(quantiles.abs().amax(dim=1), usual))
        self.lowest, self.highest = nn.Buffer(quantiles[:, 0].clone()), nn.Buffer(quantiles[:, -1].clone())
        self.normal = step.output == "normal"
        self.margin = EDGE if self.normal else 0.0
        self.bounds = nn.Buffer(torch.tensor([EDGE, 1 - EDGE], dtype=torch.float64))

    def forward(self, x: Tensor) -> Tensor:
        x = self._without_noise(x)
        below, upto = self._count(x, equal=False), self._count(x, equal=True)
        share = 0.5 * (self._share(x, upto - 1, upto) + self._share(x, below - 1, below))
        share = torch.where(x + self.margin >= self.highest, torch.ones_like(x), share)
        share = torch.where(x - self.margin <= self.lowest, torch.zeros_like(x), share)
        if not self.normal:
            return share
        # Bounds as arrays: as plain numbers they would be rounded to float32 in the graph.
        return normal_deviates(torch.minimum(torch.maximum(share, self.bounds[0]), self.bounds[1]))

    def _without_noise(self, x: Tensor) -> Tensor:
        count = self._count(x, equal=True)
        found, least = x, self.noise
        for place in (count - 1, count):
            at = self.rows + place.clamp(0, self.n_quantiles - 1)
            near = self.quantiles[at]
            distance = (x - near).abs()
            closer = self.jumps[at] & (distance <= least)
            found, least = torch.where(closer, near.float().double(), found), torch.where(closer, distance, least)
        return found

    def _count(self, x: Tensor, equal: bool) -> Tensor:
        """How many quantiles lie below x, or up to it. Shape: (N, D)"""
        count = torch.zeros_like(x, dtype=torch.int64)
        for step in self.halvings:
            found = self.quantiles[self.rows + (count + (step - 1))]
            count = torch.where(found <= x if equal else found < x, count + step, count)
        return count

    def _share(self, x: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """F at x, which lies between these two quantiles, or beyond all."""
        last = self.n_quantiles - 1
        left, right = left.clamp(0, last), right.clamp(0, last)
        low, high = self.quantiles[self.rows + left], self.quantiles[self.rows + right]
        gap = high - low
        part = torch.where(gap > 0, (x - low) / torch.where(gap > 0, gap, torch.ones_like(gap)), torch.zeros_like(gap))
        return (left + part * (right - left)) / max(last, 1)
