"""The text form of a recipe, in fields and back: `MODEL | TEMPLATE | LAYERS | WEIGHTS | SHAPERS | SETTING ...`.

    bert-base-uncased | T4 | first,last | idf | abtt:1,unit | mix 0.5

The first five have a fixed place; those that are left out at the end are as in the recipe `plain`: none, last, mean,
none. Settings may follow in any order, each a name and a value: `mix 0.5` (so much of Avg., the model's static table
made from a background corpus), `mix 0.5 with FOLDER` (of a table that is there), `pooling max` (instead of the weighted
mean), `side-by-side first,last` (these layers beside each other), `attention 1:10` (tokens weigh as they attend to
themselves in head 10 of layer 1), `dissected 4` (SBERT-WK, layers from 4 on), `max-tokens 128`, `windows 16`, and other
settings of a transformer. After `side-by-side` and `dissected` there is one layer, so LAYERS is `last` with them. A
field that holds `|`, or begins or ends with a space or a quote, is written as a JSON string.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from attar.errors import InputError, unknown_name

MARK = "|"
NONE = "none"
_PLAIN = ("default", NONE, "last", "mean", NONE)  # model, template, layers, weights, shapers
FORM = "MODEL | TEMPLATE | LAYERS | WEIGHTS | SHAPERS | SETTING ..."
_DECODER = json.JSONDecoder()


def join_fields(fields: Sequence[str]) -> str:
    """The text form of these fields."""
    return f" {MARK} ".join(json.dumps(one, ensure_ascii=False) if _needs_quotes(one) else one for one in fields)


def split_text(text: str) -> tuple[tuple[str, str, str, str, str], dict[str, str]]:
    """The five fields that have a place, and the settings by name.

    Raises
    ------
    InputError
        If a field is empty, or a setting has no value or is there twice.
    """
    found = list(_fields(text))
    if not all(found):
        raise InputError(f"the recipe {text!r} has an empty field; write {FORM}, and none for no template or shapers")
    placed, more = found[: len(_PLAIN)], found[len(_PLAIN) :]
    settings: dict[str, str] = {}
    for field in more:
        name, _, value = field.partition(" ")
        if not value.strip() or name in settings:
            problem = "is there twice" if name in settings else "has no value"
            raise InputError(f"the recipe {text!r}: the setting {name!r} {problem}; write such as 'mix 0.5'")
        settings[name] = value.strip()
    model, template, layers, weights, shapers = (*placed, *_PLAIN[len(placed) :])
    return (model, template, layers, weights, shapers), settings


def write_value(value: Any) -> str:
    """A setting's value: text as it is, unless it would be read as something else."""
    return value if isinstance(value, str) and read_value(value) == value else json.dumps(value)


def read_value(text: str) -> Any:
    """What `write_value` wrote."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def read_mix(text: str, recipe: str) -> tuple[float, str | None]:
    """The weight and, after `with`, the name of what is mixed in."""
    weight, word, name = (text.split(None, 2) + [""] * 2)[:3]
    try:
        number = float(weight)
    except ValueError:
        number = float("nan")
    if not abs(number) < 100 or (word and (word != "with" or not name)):
        raise InputError(f"the recipe {recipe!r}: can't read 'mix {text}'; write mix 0.5, or mix 0.5 with FOLDER")
    return number, name or None


def check_setting(name: str, allowed: Sequence[str], recipe: str) -> str:
    """The key of a setting in the description of an encoder."""
    if name not in allowed:
        raise unknown_name(
            f"setting of the recipe {recipe!r}",
            name,
            ("mix", "pooling", "side-by-side", "attention", "dissected", *allowed),
        )
    return name.replace("-", "_")


def _needs_quotes(field: str) -> bool:
    return MARK in field or field != field.strip() or field[:1] == '"' or "\n" in field


def _fields(text: str) -> Iterator[str]:
    rest: str | None = text
    while rest is not None:
        field, rest = _quoted(rest.strip()) or _plain(rest)
        yield field


def _quoted(text: str) -> tuple[str, str | None] | None:
    """The JSON string at the beginning, if there is one and nothing but the next field after it."""
    if not text.startswith('"'):
        return None
    try:
        field, end = _DECODER.raw_decode(text)
    except ValueError:
        return None
    after = text[end:].strip()
    if after and not after.startswith(MARK):
        return None
    return field, after[1:] if after else None


def _plain(text: str) -> tuple[str, str | None]:
    field, mark, rest = text.partition(MARK)
    return field.strip(), rest if mark else None
