"""Aggregations as one number a token: mean, idf, debiased, masks, ends, SIF."""

from __future__ import annotations

from collections.abc import Callable

from attar.errors import InputError, unknown_name
from attar.weights.answer import Answer
from attar.weights.debiased import Debiased
from attar.weights.ends import First, Last
from attar.weights.idf import Idf
from attar.weights.mask import Mask
from attar.weights.mean import Mean
from attar.weights.position import Position
from attar.weights.sif import Sif
from attar.weights.weighting import Weighting

__all__ = [
    "NAMES",
    "Answer",
    "Debiased",
    "First",
    "Idf",
    "Last",
    "Mask",
    "Mean",
    "Position",
    "Sif",
    "Weighting",
    "parse",
]

# The names of the command line. A recipe keeps the class and its parameters.
NAMES: dict[str, Callable[[], Weighting]] = {
    "mean": Mean,
    "idf": Idf,
    "debiased": Debiased,
    "mask": Mask,
    "mean-without-masks": lambda: Mean(masks=False),
    "first": First,
    "last": Last,
    "sif": Sif,
    "answer": Answer,
    "position": Position,
    "text": lambda: Mean(template=False, masks=False),
}
CLASSES: dict[str, type[Weighting]] = {
    c.__name__: c for c in (Mean, Idf, Debiased, Mask, First, Last, Sif, Answer, Position)
}


def parse(spec: str) -> Weighting:
    """`idf`, or `idf@background`, or `mean+specials` to count [CLS] and [SEP] too."""
    name, _, on = spec.partition("@")
    name, _, with_specials = name.partition("+")
    if name not in NAMES:
        raise unknown_name("weights", name, NAMES)
    weighting = NAMES[name]()
    if with_specials not in ("", "specials") or on not in ("", "target", "background"):
        raise InputError(f"can't read the weights {spec!r}; forms: {name}, {name}+specials, {name}@background")
    for parameter, value in (("specials", bool(with_specials)), ("on", on)):
        if value:
            if parameter not in weighting.get_params():
                raise InputError(f"{spec!r}: {name} weights have no choice of {parameter}")
            weighting.set_params(**{parameter: value})
    return weighting
