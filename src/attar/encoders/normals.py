"""Random numbers that are a pure function of (seed, row, column), the same to the last bit on every machine.

SplitMix64 in counter mode makes 64 random bits for each pair of columns; each half becomes a uniform number and, by
Wichura's rational approximation of the normal quantile (AS 241, PPND7, relative error 1e-7), a standard normal one.
Only additions, multiplications, divisions and square roots of float64 are used, which IEEE 754 rounds alike
everywhere; the logarithm is a series of those, since libraries disagree on its last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from attar.types import Doubles

Words = npt.NDArray[np.uint64]
MIDDLE = 0.425  # how far from 1/2 a probability may be for `middle_deviates`
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_LN2 = 0.6931471805599453
_MIDDLE_SQUARE = 0.180625

# AS 241: numerator and denominator, highest power first, of the middle and of the tails.
_MIDDLE_RATIO = (
    (5.9109374720e1, 1.5929113202e2, 5.0434271938e1, 3.3871327179),
    (6.7187563600e1, 7.8757757664e1, 1.7895169469e1, 1.0),
)
_TAIL_RATIO = (
    (1.7023821103e-1, 1.3067284816, 2.7568153900, 1.4234372777),
    (1.2021132975e-1, 7.3700164250e-1, 1.0),
)


def normals(seed: int, rows: npt.NDArray[np.integer[Any]], n_columns: int) -> Doubles:
    """Standard normal numbers; a narrower row is the beginning of a wider one. Shape: (R,) -> (R, n_columns)"""
    key = splitmix64(np.array([seed], dtype=np.uint64))
    pairs = np.arange((n_columns + 1) // 2, dtype=np.uint64)
    counters = (rows.astype(np.uint64)[:, None] << np.uint64(32)) + pairs  # (R, pairs)
    bits = splitmix64(key + counters * _GOLDEN)
    halves = np.stack([bits & np.uint64(0xFFFFFFFF), bits >> np.uint64(32)], axis=2)
    uniform = (halves.reshape(len(rows), 2 * len(pairs))[:, :n_columns].astype(np.float64) + 0.5) * 2.0**-32
    return _quantile(uniform)


def splitmix64(states: Words) -> Words:
    """What SplitMix64 gives in each of these states: another one for every other. Shape: (N,) -> (N,)"""
    words = states + _GOLDEN  # arithmetic of uint64 wraps around
    words = (words ^ (words >> np.uint64(30))) * _MIX[0]
    words = (words ^ (words >> np.uint64(27))) * _MIX[1]
    return words ^ (words >> np.uint64(31))


def _quantile(p: Doubles) -> Doubles:
    """The standard normal quantile of p, which lies at least 2**-33 away from 0 and 1."""
    q = p - 0.5
    z: Doubles = middle_deviates(q)
    tail = _MIDDLE_SQUARE - q * q < 0
    near = np.minimum(p[tail], 1 - p[tail])
    z[tail] = np.where(q[tail] < 0, -1.0, 1.0) * tail_deviates(np.sqrt(-_log(near)))
    return z


def middle_deviates(q: Any) -> Any:
    """z with P(Z < z) = 1/2 + q for |q| <= MIDDLE; of an array of numpy or a tensor of torch."""
    return q * _ratio(_MIDDLE_RATIO, _MIDDLE_SQUARE - q * q)


def tail_deviates(root: Any) -> Any:
    """z with P(Z > z) = p for root = sqrt(-log p), of p below 1/2 - MIDDLE; likewise."""
    return _ratio(_TAIL_RATIO, root - 1.6)


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: Any) -> Any:
    top, bottom = (_polynomial(side, x) for side in coefficients)
    return top / bottom


def _polynomial(coefficients: tuple[float, ...], x: Any) -> Any:
    total = coefficients[0] * x
    for c in coefficients[1:-1]:
        total += c
        total *= x
    total += coefficients[-1]
    return total


def _log(x: Doubles) -> Doubles:
    """ln x = e ln 2 + 2 artanh((m - 1) / (m + 1)) for x = m 2**e, 1/2 <= m < 1; the series is exact to 1e-12."""
    m, e = np.frexp(x)
    z = (m - 1) / (m + 1)
    series = _polynomial(tuple(1 / k for k in range(23, 0, -2)), z * z)
    return np.asarray(e * _LN2 + 2 * z * series, dtype=np.float64)
