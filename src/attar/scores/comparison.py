"""Recipes on the same rows, compared draw by draw: how sure is a difference, and what is the best of many worth?

Every score comes with `draws`, its value on resamples of the task's rows, which are the same resamples for all recipes.
What a hard pair does to one recipe it does to the other, so a difference varies less than the two intervals suggest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attar.errors import InputError
from attar.scores.intervals import LEVEL, percentile_interval
from attar.types import Doubles

_ROUNDING = 1e-9  # two recipes that are the same differ by less
_HOPELESS = 8.0  # spreads behind the best: no critical value comes near


@dataclass(frozen=True)
class Difference:
    """How much more one recipe reaches than another, with its 95 % interval over rows."""

    value: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class BestOfMany:
    """The recipe of the highest score among many, and what the choice among them does to it."""

    place: int  # of the best
    score: float
    optimism: float  # how much of the score may be the luck of having been chosen
    tied: npt.NDArray[np.bool_]  # which of the recipes are not surely worse, all of them judged together. Shape: (R,)

    @property
    def corrected(self) -> float:
        """What to expect of the best on other rows like these."""
        return self.score - self.optimism


def difference(score: float, draws: npt.ArrayLike, other_score: float, other_draws: npt.ArrayLike) -> Difference:
    """The paired bootstrap of a difference between two recipes on the same rows.

    Parameters
    ----------
    score, other_score : float
        What both reach.
    draws, other_draws : array of shape (B,)
        What both reach on the same B resamples, as `attar.scores.score` gives them.

    Returns
    -------
    Difference
        `score - other_score`, and the middle 95 % of its resamples.

    Raises
    ------
    InputError
        If the numbers of resamples differ, or there are none.
    """
    both = _table([draws, other_draws])
    low, high = percentile_interval(both[0] - both[1])
    return Difference(score - other_score, low, high)


def best_of_many(scores: npt.ArrayLike, draws: Any) -> BestOfMany:
    """What the highest of many scores on the same rows is worth.

    Recipes are tied with the best unless they are surely worse, where "surely" is judged over all pairs of recipes
    together at 5 % (multiple comparisons with the best; the critical value is the bootstrap's). The optimism is the
    luck of being the highest of the tied ones: the mean over resamples of the most that any of them gains. It is exact
    where they are equally good and too much where they are not, so the corrected score errs to the low side.

    Parameters
    ----------
    scores : array of shape (R,)
        What each recipe reaches; greater is better.
    draws : array of shape (R, B)
        What each reaches on the same B resamples of rows.

    Returns
    -------
    BestOfMany
        The best, its optimism, and which recipes are tied with it.

    Raises
    ------
    InputError
        If there are no recipes, or the shapes do not fit.
    """
    reached, table = np.asarray(scores, dtype=np.float64), _table(draws)
    if reached.shape != (len(table),):
        raise InputError(f"{reached.size} scores and draws of {len(table)} recipes do not fit together")
    place = int(reached.argmax())
    tied = _tied(reached, table, place)
    gained = table[tied] - reached[tied, None]  # (tied, B) on each resample, against all rows
    optimism = float(np.mean(gained.max(axis=0)))
    return BestOfMany(place, float(reached[place]), max(0.0, optimism), tied)


def _tied(reached: Doubles, table: Doubles, place: int) -> npt.NDArray[np.bool_]:
    """Those whose difference from the best is no larger than differences between equals may be, over all pairs."""
    behind = reached[place] - reached  # (R,)
    luck = table - reached[:, None]  # (R, B) about 0
    spread = np.maximum((luck[place] - luck).std(axis=1), _ROUNDING)
    near = behind <= _HOPELESS * spread
    limits = [_largest(luck[near], i) for i in range(int(near.sum()))]
    critical = float(np.quantile(np.max(limits, axis=0), LEVEL))
    return np.asarray(near & (behind <= critical * spread))


def _largest(luck: Doubles, i: int) -> Doubles:
    """The most that recipe i gains on any other by luck, in units of its spread. Shape: (B,)"""
    gained = luck[i] - luck
    largest: Doubles = np.max(gained / np.maximum(gained.std(axis=1, keepdims=True), _ROUNDING), axis=0)
    return largest


def _table(draws: Any) -> Doubles:
    rows = [np.asarray(row, dtype=np.float64) for row in draws]
    if not rows or len({row.shape for row in rows}) > 1 or rows[0].ndim != 1 or not len(rows[0]):
        raise InputError(
            f"draws of shapes {sorted({row.shape for row in rows})} can't be compared; recipes need the same resamples "
            "of the same rows"
        )
    return np.stack(rows)
