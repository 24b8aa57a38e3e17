"""A threshold for near duplicates, advised from the texts themselves.

The cosine of a text with its nearest neighbour is a maximum over all other texts, and maxima of many follow Gumbel's
distribution. Its two parameters are taken from the lower half of what is observed, where near duplicates have no
say; the upper tail then tells how many texts would come that close by chance, and how many more there are. The advised
threshold is the lowest one above which chance explains at most three tenths of the texts, and never below 0.85: texts
may be versions of each other without being duplicates, which chance does not explain either. Share and bound were
chosen on the dev parts of STS-B and SICK.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attar.types import Doubles, Floats

SHARE = 0.3  # of texts above the threshold that chance alone may explain
FEW = 200  # texts: of fewer, the distribution is not known well enough
USUAL = 0.9  # where the texts do not tell
LOWEST = 0.85  # that is ever advised
_LOW, _MIDDLE = 0.1, 0.5  # quantiles that the distribution is fitted at
_LEAST = 5  # texts above the threshold, to speak of a tail


@dataclass(frozen=True)
class Advice:
    """A threshold, and how sure it is."""

    threshold: float
    n_texts: int
    found: int  # texts with a neighbour at least this close
    by_chance: float  # how many of them a distribution without near duplicates would have; nan: unknown
    told: float | None  # what the texts alone say, which may be lower; None: nothing, so it is the usual one

    def sentence(self) -> str:
        """For the user."""
        if self.told is None:
            why = (
                f"too few texts to advise another ({self.n_texts:,} of {FEW})"
                if self.n_texts < FEW
                else "few texts are closer to another one than chance would bring them"
            )
            return f"threshold {self.threshold:.3f}, the usual one: {why}; look at the pairs and set --threshold"
        how = (
            "advised from the texts"
            if self.told >= self.threshold
            else f"the lowest that is advised (the texts alone say {self.told:.3f})"
        )
        return (
            f"threshold {self.threshold:.3f}, {how}: {self.found:,} of {self.n_texts:,} have a "
            f"neighbour at least this close, and about {self.by_chance:.0f} would by chance"
        )


def advise(cosines: Floats) -> Advice:
    """The threshold for these cosines of texts with their nearest neighbours. Shape: (N,)"""
    n = len(cosines)
    z = _open_scale(cosines)
    chance = _chance(z) if n >= FEW else None
    if chance is not None:
        order = np.sort(z)
        above = n - np.arange(n)  # texts at or above each
        expected = n * chance(order)
        good = (expected <= SHARE * above) & (above >= _LEAST)
        if good.any():
            # The lowest from which on it holds everywhere: a dip by luck further down does not count.
            at = int(np.flatnonzero(~good[: n - _LEAST + 1])[-1]) + 1 if not good[: n - _LEAST + 1].all() else 0
            if at <= n - _LEAST:
                told = float(np.tanh(order[at]))
                if told >= LOWEST:
                    return Advice(told, n, int(above[at]), float(expected[at]), told)
                by_chance = n * float(chance(np.arctanh(np.array([LOWEST])))[0])
                return Advice(LOWEST, n, int((cosines >= LOWEST).sum()), by_chance, told)
    return Advice(USUAL, n, int((cosines >= USUAL).sum()), float("nan"), None)


def _open_scale(cosines: Floats) -> Doubles:
    """Fisher's z: cosines near 1 are spread out."""
    z: Doubles = np.arctanh(np.clip(cosines.astype(np.float64), -0.999999, 0.999999))
    return z


class _chance:
    """The share of texts that come at least so close by chance: Gumbel's upper tail."""

    def __init__(self, z: Doubles) -> None:
        low, middle = np.quantile(z, [_LOW, _MIDDLE])
        spread = -np.log(-np.log([_LOW, _MIDDLE]))
        self.scale = max(float((middle - low) / (spread[1] - spread[0])), 1e-9)
        self.place = float(middle - self.scale * spread[1])

    def __call__(self, z: Doubles) -> Doubles:
        tail: Doubles = -np.expm1(-np.exp(-(z - self.place) / self.scale))
        return tail
