"""The names of shapers on the command line and in recipes: "zscore,unit", "abtt:2@background"."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import get_args

from attar.errors import InputError, unknown_name
from attar.shapers.abtt import AllButTheTop
from attar.shapers.center import Center
from attar.shapers.quantile import Quantile
from attar.shapers.robust import Robust
from attar.shapers.shaper import On, Shaper
from attar.shapers.unit import Unit
from attar.shapers.whiten import Whiten
from attar.shapers.zscore import ZScore

NAMES: dict[str, Callable[[], Shaper]] = {
    "center": Center,
    "zscore": ZScore,
    "robust": Robust,
    "quantile": Quantile,
    "quantile-normal": partial(Quantile, output="normal"),
    "whiten": Whiten,
    "abtt": AllButTheTop,
    "unit": Unit,
}
NUMBERS = {"whiten": "n_components", "abtt": "n"}  # the parameter a number after ":" sets


def parse(spec: str) -> list[Shaper]:
    """Shapers from their names with commas between; "" and "none" give none.

    A name may be followed by a number (whiten:128, abtt:3) and by the texts to fit on (zscore@background).
    """
    return [] if spec.strip() in {"", "none"} else [_parse_one(part.strip()) for part in spec.split(",")]


def _parse_one(part: str) -> Shaper:
    rest, _, on = part.partition("@")
    name, colon, number = rest.partition(":")
    if name not in NAMES:
        raise unknown_name("shaper", name, NAMES)
    shaper = NAMES[name]()
    if colon:
        if name not in NUMBERS:
            raise InputError(f"shaper {part!r}: {name} takes no number; only {', '.join(NUMBERS)} do")
        if not number.isdecimal():
            raise InputError(f"shaper {part!r}: {number!r} is not a whole number; write {name}:2, for example")
        shaper.set_params(**{NUMBERS[name]: int(number)})
    if "@" in part:
        if on not in get_args(On):
            raise unknown_name(f"texts to fit {rest!r} on", on, get_args(On))
        shaper.set_params(on=on)
    shaper.check_params()
    return shaper
