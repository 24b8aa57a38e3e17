"""Families of parts (weights, shapers): one table of members each, and the text form that both families share.

A text is a name from the table, then a number where the class takes one, then switches, then the texts to fit on:
`whiten:128`, `sif:0.01`, `mean+specials`, `idf+no-template@background`. `text_of` writes it, `parse_member` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from attar.errors import InputError, unknown_name

CORPORA = ("target", "background")


@dataclass(frozen=True)
class Member:
    """One line of a family's table: the class, when to take it, and the parameters that this name sets."""

    make: type[Any]
    help: str
    presets: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Number:
    """The parameter that a number after the name sets; `always` writes it even where it is the default."""

    parameter: str
    kind: type = int
    always: bool = False


Members = Mapping[str, Member]


def classes_of(members: Members) -> dict[str, type]:
    """The classes of a family by their names, as recipes on disk call them."""
    return {member.make.__name__: member.make for member in members.values()}


def listed(members: Members) -> str:
    """All names, for help and messages."""
    return ", ".join(members)


def text_of(estimator: Any, members: Members) -> str:
    """The text that `parse_member` makes an equal one from; of a class that is not in the table, its name."""
    given = estimator.get_params(deep=False)
    fitting = [
        (name, member)
        for name, member in members.items()
        if member.make is type(estimator) and all(given[key] == value for key, value in member.presets.items())
    ]
    if not fitting:
        return type(estimator).__name__
    name, member = max(fitting, key=lambda one: len(one[1].presets))
    usual = _defaults(member.make) | dict(member.presets)
    changed = {key: value for key, value in given.items() if value != usual[key]}
    number = member.make.number
    text = name
    if number is not None and (number.always or number.parameter in changed):
        changed.pop(number.parameter, None)
        text += ":" + repr(number.kind(given[number.parameter])).replace("e+", "e")
    on = changed.pop("on", "target")
    text += "".join(f"+{key}" if value else f"+no-{key}" for key, value in changed.items())
    return text if on == "target" else f"{text}@{on}"


def parse_member(text: str, members: Members, kind: str) -> Any:
    """An unfitted estimator from its text; `kind` says in messages what it is.

    Raises
    ------
    InputError
        If the name is not in the table, or the class does not take what follows it.
    """
    rest, at, on = text.partition("@")
    rest, *switches = rest.split("+")
    name, colon, number = rest.partition(":")
    if name not in members:
        raise unknown_name(kind, name, members)
    member = members[name]
    params = dict(member.presets)
    if colon:
        params |= _number(number, name, members, f"{kind} {text!r}")
    for switch in switches:
        params |= _switch(switch, member, f"{kind} {text!r}")
    if at:
        if on not in CORPORA:
            raise unknown_name(f"texts to fit {text.partition('@')[0]!r} on", on, CORPORA)
        if "on" not in _defaults(member.make):
            raise InputError(f"{kind} {text!r}: {name} has no choice of on: it learns from no texts; leave out @{on}")
        params["on"] = on
    made = member.make(**params)
    made.check_params()
    return made


def _number(text: str, name: str, members: Members, what: str) -> dict[str, Any]:
    number = members[name].make.number
    if number is None:
        numbered = [other for other, member in members.items() if member.make.number is not None]
        raise InputError(f"{what}: {name} takes no number; only {', '.join(numbered)} do")
    if number.kind is int:
        if not text.isdecimal() or len(text) > 18:
            raise InputError(f"{what}: {text!r} is not a whole number; write {name}:2, for example")
        return {number.parameter: int(text)}
    try:
        return {number.parameter: float(text)}
    except ValueError:
        raise InputError(f"{what}: {text!r} is not a number; write {name}:0.01, for example") from None


def _switch(text: str, member: Member, what: str) -> dict[str, bool]:
    switches = [key for key, value in _defaults(member.make).items() if isinstance(value, bool)]
    parameter = text.removeprefix("no-")
    if parameter not in switches:
        allowed = ", ".join(f"+{key} or +no-{key}" for key in switches) or "none"
        raise InputError(f"{what}: there is no choice of {parameter!r}; allowed: {allowed}")
    return {parameter: parameter == text}


def _defaults(made: type) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in signature(made).parameters.items()}
