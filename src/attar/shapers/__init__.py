"""Post-processing of sentence vectors: scikit-learn transformers from (N, D) to (N, D')."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator

from attar.errors import InputError
from attar.members import Member, classes_of, parse_member
from attar.shapers.abtt import AllButTheTop
from attar.shapers.affine import Affine
from attar.shapers.affine_shaper import AffineShaper, MomentShaper, fold
from attar.shapers.center import Center
from attar.shapers.common import CommonComponents
from attar.shapers.conceptor import Conceptor
from attar.shapers.moments import Moments
from attar.shapers.quantile import Quantile
from attar.shapers.robust import Robust
from attar.shapers.shaper import Shaper
from attar.shapers.unit import Unit
from attar.shapers.whiten import Whiten
from attar.shapers.zscore import ZScore

__all__ = [
    "MEMBERS",
    "Affine",
    "AffineShaper",
    "AllButTheTop",
    "Center",
    "CommonComponents",
    "Conceptor",
    "MomentShaper",
    "Moments",
    "Quantile",
    "Robust",
    "Shaper",
    "Unit",
    "Whiten",
    "ZScore",
    "fold",
    "of",
    "parse",
]

# The one table of shapers: names on the command line, in grids and recipes, and what each does.
MEMBERS: dict[str, Member] = {
    "center": Member(Center, "subtract the mean"),
    "zscore": Member(ZScore, "mean 0 and variance 1 in every dim"),
    "robust": Member(Robust, "median 0 and interquartile range 1 in every dim"),
    "quantile": Member(Quantile, "every dim spread evenly over 0 to 1"),
    "quantile-normal": Member(Quantile, "every dim spread like a normal variable", {"output": "normal"}),
    "whiten": Member(Whiten, "uncorrelated dims of variance 1; whiten:K keeps K of them"),
    "abtt": Member(AllButTheTop, "all but the top: removes the 2 (abtt:N) strongest directions"),
    "common": Member(CommonComponents, "removes the 1 (common:N) strongest directions without centring, as SIF does"),
    "piecewise": Member(CommonComponents, "removes a share of each of N directions, as uSIF does", {"weighted": True}),
    "conceptor": Member(Conceptor, "damps strong directions: conceptor negation, alpha = 2 or conceptor:A"),
    "unit": Member(Unit, "length 1"),
}
CLASSES: dict[str, type[Shaper]] = classes_of(MEMBERS)


def parse(text: str) -> list[Shaper]:
    """Shapers from their text form.

    Parameters
    ----------
    text
        Names of `MEMBERS` with commas between them, each followed by a number where it takes one (`whiten:128`,
        `abtt:3`) and by the texts to fit on (`zscore@background`); "" and "none" give no shapers.

    Returns
    -------
    list of Shaper
        Unfitted, in order.

    Raises
    ------
    InputError
        If a name is unknown or does not take what follows it.
    """
    if text.strip() in {"", "none"}:
        return []
    return [parse_member(part.strip(), MEMBERS, "shaper") for part in text.split(",")]


def of(value: Any) -> list[Any]:
    """Shapers from what a caller may give.

    Parameters
    ----------
    value : sequence or str
        Shapers, transformers of scikit-learn and text forms; or one text form such as "zscore,unit".

    Returns
    -------
    list
        The same objects in order, with new ones in place of text forms.

    Raises
    ------
    InputError
        If something among them neither is a name nor can transform vectors.
    """
    if isinstance(value, str):
        return list(parse(value))
    if not isinstance(value, Sequence):
        raise InputError(
            f"shapers={value!r} is not a list of shapers, such as [shapers.ZScore(), shapers.Unit()] or 'zscore,unit'"
        )
    found: list[Any] = []
    for shaper in value:
        if isinstance(shaper, str):
            found += parse(shaper)
        elif isinstance(shaper, BaseEstimator) and hasattr(shaper, "transform"):
            found.append(shaper)
        else:
            raise InputError(
                f"{shaper!r} is not a shaper; take one of attar.shapers, its name, or a transformer of scikit-learn"
            )
    return found


def text(chain: Sequence[Any]) -> str:
    """The text form of a chain: `zscore,unit`, or `none`; of a shaper that is not Attar's, the name of its class."""
    return ",".join(getattr(shaper, "name", type(shaper).__name__) for shaper in chain) or "none"
