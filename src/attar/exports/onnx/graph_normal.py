"""The inverse of the normal distribution from operations that every graph has."""

from __future__ import annotations

import torch
from torch import Tensor

# Wichura (1988), algorithm AS 241, PPND7: right to 1 part in 10^7. Coefficients from the constant up.
_MIDDLE = (3.3871327179e00, 5.0434271938e01, 1.5929113202e02, 5.9109374720e01)
_MIDDLE_OVER = (1.0, 1.7895169469e01, 7.8757757664e01, 6.7187563600e01)
_TAIL = (1.4234372777e00, 2.7568153900e00, 1.3067284816e00, 1.7023821103e-01)
_TAIL_OVER = (1.0, 7.3700164250e-01, 1.2021132975e-01)


def normal_deviates(p: Tensor) -> Tensor:
    """z with P(Z < z) = p, for p from 1e-10 to 1 - 1e-10."""
    q = p - 0.5
    r = 0.180625 - q * q
    middle = q * _polynomial(_MIDDLE, r) / _polynomial(_MIDDLE_OVER, r)
    s = (-torch.minimum(p, 1 - p).log()).sqrt() - 1.6
    tail = torch.sign(q) * _polynomial(_TAIL, s) / _polynomial(_TAIL_OVER, s)
    return torch.where(q.abs() <= 0.425, middle, tail)


def _polynomial(coefficients: tuple[float, ...], x: Tensor) -> Tensor:
    total = torch.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total
