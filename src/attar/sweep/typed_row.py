"""Cells as they come out of a file that anyone may have written: each value is checked before it is used."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import Field, fields
from typing import Any

from attar.errors import InputError
from attar.io.foreign import parse_json
from attar.sweep.cell_row import CellRow

_KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float, int),
    "str | None": (str, type(None)),
    "float | None": (float, int, type(None)),
}
_DETAILS = {"background_texts": True, "average_texts": True}  # whether it must be there
_DETAILS |= dict.fromkeys(("dims", "runs", "sampled_from", "rows"), False)
_LAYERS = re.compile(r"-?\d{1,6}(\+-?\d{1,6})*")
_MOST = 2**53  # beyond it a page could not show a number as it is


def typed_row(values: Sequence[Any], where: str) -> CellRow:
    """A cell, if every value is of its type and makes sense."""
    for field, value in zip(fields(CellRow), values, strict=True):
        if not _is_of(field, value):
            raise _refused(where, field.name, value)
    row = CellRow(*values)
    if not _LAYERS.fullmatch(row.layers):
        raise _refused(where, "layers", row.layers)
    if row.texts < 0 or row.seconds < 0:
        raise _refused(where, "texts or seconds", min(row.texts, row.seconds))
    _check_object(parse_json(row.recipe, f"a recipe in {where}"), where, "recipe")
    check_details(parse_json(row.details, f"details in {where}"), where)
    return row.with_one_name()


def check_details(details: Any, where: str) -> None:
    """Counts are counts; a page shows them and a recipe is fitted by them."""
    _check_object(details, where, "details")
    for name, needed in _DETAILS.items():
        value = details.get(name)
        if value is None and not needed:
            continue
        if type(value) is not int or not 0 <= value < _MOST:
            raise _refused(where, f"details.{name}", value)
    for name in ("first_layer", "last_layer"):
        value = details.get(name, 0)
        if type(value) is not int or not -1 <= value < 10**6:
            raise _refused(where, f"details.{name}", value)
    if not isinstance(details.get("tuned_for_sentences", False), bool):
        raise _refused(where, "details.tuned_for_sentences", details["tuned_for_sentences"])
    if not isinstance(details.get("source", ""), str):
        raise _refused(where, "details.source", details["source"])
    draws = details.get("draws", [])
    if not isinstance(draws, list) or not all(type(draw) in (int, float) and abs(draw) <= 1 for draw in draws):
        raise _refused(where, "details.draws", draws)


def _is_of(field: Field[Any], value: Any) -> bool:
    if not isinstance(value, _KINDS[str(field.type)]):
        return False
    return not isinstance(value, (int, float)) or (math.isfinite(value) and abs(value) < _MOST)


def _check_object(value: Any, where: str, name: str) -> None:
    if not isinstance(value, dict):
        raise _refused(where, name, value)


def _refused(where: str, name: str, value: Any) -> InputError:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return InputError(
        f"{where} was not written by attar, or was altered: {name} of a cell is {shown}; make the run anew"
    )
