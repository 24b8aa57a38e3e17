"""Ids of rows: the inputs' own, where one type of Arrow holds them all; else the number of the row."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import Any

from attar.corpus.inputs.input_file import InputFile
from attar.errors import InputError

log = logging.getLogger("attar")

_SIGNED = {f"int{bits}": bits for bits in (8, 16, 32, 64)}
_UNSIGNED = {f"uint{bits}": bits for bits in (8, 16, 32, 64)}
_STRINGS = {"string", "large_string", "string_view"}


def common_type(types: Collection[str | None]) -> str | None:
    """The type that holds ids of all these types without loss; None if there is none."""
    found = set(types)
    if found and found <= _STRINGS:
        return "large_string" if "large_string" in found else "string"
    if not found or not found <= _SIGNED.keys() | _UNSIGNED.keys():
        return None
    signed = max((bits for name, bits in _SIGNED.items() if name in found), default=0)
    unsigned = max((bits for name, bits in _UNSIGNED.items() if name in found), default=0)
    if not signed:
        return f"uint{unsigned}"
    bits = max(signed, 2 * unsigned)  # one bit is for the sign
    return f"int{bits}" if bits <= 64 else None


def json_type(value: Any) -> str:
    """What Arrow calls the type of an id, or Python, where ids can't be of it."""
    if type(value) is int and -(2**63) <= value < 2**63:
        return "int64"
    return "string" if isinstance(value, str) else type(value).__name__


def check_ids(sources: Sequence[InputFile], named: str | None) -> None:
    """Ids that were asked for by name must be usable; of others that are not, tell that rows are numbered."""
    if common_type([source.id_type for source in sources]) is not None:
        return
    first = {source.id_type: source.path for source in reversed(sources)}
    shown = "; ".join(f"{path!r} has {kind or 'none'}" for kind, path in sorted(first.items(), key=lambda one: one[1]))
    if named is not None:
        raise InputError(f"ids are whole numbers of up to 64 bits or strings, and the same in all inputs; {shown}")
    if any(source.id_type for source in sources):
        log.info("ids are the numbers of the rows, as the inputs' own are not of one type: %s", shown)
