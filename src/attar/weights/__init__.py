"""Aggregations as one number per token: mean, idf, debiased, masks, ends, answers, places, SIF."""

from __future__ import annotations

from typing import Any

from attar.errors import InputError
from attar.members import Member, classes_of, parse_member
from attar.weights.answer import Answer
from attar.weights.debiased import Debiased
from attar.weights.ends import First, Last
from attar.weights.idf import Idf
from attar.weights.mask import Mask
from attar.weights.mean import Mean
from attar.weights.position import Position
from attar.weights.sif import Sif
from attar.weights.usif import Usif
from attar.weights.weighting import Weighting

__all__ = [
    "MEMBERS",
    "Answer",
    "Debiased",
    "First",
    "Idf",
    "Last",
    "Mask",
    "Mean",
    "Position",
    "Sif",
    "Usif",
    "Weighting",
    "of",
    "parse",
]

# The one table of token weights: names on the command line, in grids and recipes, and what each is for.
MEMBERS: dict[str, Member] = {
    "mean": Member(Mean, "every token counts the same"),
    "idf": Member(Idf, "rare tokens count more"),
    "debiased": Member(Debiased, "the mean without frequent tokens, sub-words and punctuation"),
    "mask": Member(Mask, "the masks of a template alone"),
    "mean-without-masks": Member(Mean, "the mean without the masks of a template", {"masks": False}),
    "first": Member(First, "the first token alone, which is [CLS] where a model has one"),
    "last": Member(Last, "the last token alone"),
    "answer": Member(Answer, "the end of a prompt alone, behind which a causal model would speak"),
    "position": Member(Position, "later tokens count more, as they have read more in a causal model"),
    "text": Member(Mean, "the text's own tokens, without the words of a template", {"template": False}),
    "sif": Member(Sif, "smooth inverse frequency: a / (a + p), a = 0.001 or sif:A"),
    "usif": Member(Usif, "the same with a from the counts: a / (a / 2 + p), texts of 11 tokens or usif:N"),
}
CLASSES: dict[str, type[Weighting]] = classes_of(MEMBERS)


def parse(text: str) -> Weighting:
    """Token weights from their text form.

    Parameters
    ----------
    text
        A name of `MEMBERS`, then a number (`sif:0.01`), switches (`mean+specials` counts [CLS] and [SEP] too,
        `idf+no-template` leaves out a template's words), and the texts to learn from (`idf@background`).

    Returns
    -------
    Weighting
        Unfitted; its `name` is the text in its shortest form.

    Raises
    ------
    InputError
        If the name is unknown or does not take what follows it.
    """
    made: Weighting = parse_member(text.strip(), MEMBERS, "weights")
    return made


def of(value: Any) -> Weighting:
    """Token weights from what a caller may give.

    Parameters
    ----------
    value : Weighting, str or None
        An object, its text form, or None for the mean.

    Returns
    -------
    Weighting
        The object itself, or a new one.

    Raises
    ------
    InputError
        If it is none of them.
    """
    if value is None:
        return Mean()
    if isinstance(value, str):
        return parse(value)
    if not isinstance(value, Weighting):
        raise InputError(
            f"weights={value!r} are not token weights; take one of attar.weights, such as weights.Idf(), or its name"
        )
    return value
