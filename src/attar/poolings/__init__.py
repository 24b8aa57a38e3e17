"""Poolings that are not linear: the greatest value, power means, the course along a text; and several side by side.

The usual pooling is the weighted mean. It is linear: all weights and layers come from one pass, layers and mixes are
joined behind it, a cosine can be explained, and encoders do it themselves. These here have a place of their own, the
encoder `Pooled`, which hands each text's token vectors to them.
"""

from __future__ import annotations

from collections.abc import Sequence

from attar.errors import InputError
from attar.members import Member, classes_of, parse_member
from attar.poolings.dct import Dct
from attar.poolings.extremes import Max, Min
from attar.poolings.mean import WeightedMean
from attar.poolings.pooling import Pooling
from attar.poolings.power import PowerMean

__all__ = ["MEMBERS", "Dct", "Max", "Min", "Pooling", "PowerMean", "WeightedMean", "parse", "text"]

# The one table of poolings: names on the command line and in recipes, and what each does.
MEMBERS: dict[str, Member] = {
    "mean": Member(WeightedMean, "the weighted mean; linear, and what there is without a pooling"),
    "max": Member(Max, "the greatest value of every dim"),
    "min": Member(Min, "the least value of every dim"),
    "power": Member(PowerMean, "the power mean, p = 3 or power:P, odd"),
    "dct": Member(Dct, "the first 2 (dct:N) coefficients of a cosine transform along the text"),
}
CLASSES: dict[str, type[Pooling]] = classes_of(MEMBERS)


def parse(text: str) -> tuple[Pooling, ...]:
    """Poolings from their text form.

    Parameters
    ----------
    text
        Names of `MEMBERS` with commas between them, each followed by a number where it takes one: `max`,
        `mean,max,min`, `dct:3`. The vectors of several stand side by side.

    Returns
    -------
    tuple of Pooling
        In order, at least one.

    Raises
    ------
    InputError
        If a name is unknown, is there twice, or does not take what follows it.
    """
    found = tuple(parse_member(part.strip(), MEMBERS, "pooling") for part in text.split(","))
    names = [pooling.name for pooling in found]
    if len(set(names)) < len(names):
        raise InputError(f"pooling {text!r} names one twice: the same numbers would stand there twice")
    return found


def text(poolings: Sequence[Pooling]) -> str:
    """The text form, which `parse` reads."""
    return ",".join(pooling.name for pooling in poolings)
