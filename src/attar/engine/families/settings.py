"""What a model's settings say, where it is surely what is known here."""

from __future__ import annotations

from collections.abc import Mapping, Set
from types import MappingProxyType
from typing import Any

Settings = Mapping[str, Any]  # what config.json holds
NOTHING_RENAMED: Mapping[str, str] = MappingProxyType({})


class Unexpected(Exception):
    """The model is not, or not surely, what is known here."""


def count(settings: Settings, key: str, default: int | None = None) -> int:
    """A whole number above 0."""
    value = settings.get(key, default)
    value = default if value is None else value
    if type(value) is not int or value < 1:
        raise Unexpected
    return value


def padding(settings: Settings) -> int:
    value = settings.get("pad_token_id")
    if type(value) is not int or value < 0:
        raise Unexpected
    return value


def small(settings: Settings, key: str, default: float | None = None) -> float:
    """A number from 0 to 1, such as the epsilon of a norm."""
    value = settings.get(key, default)
    if type(value) is not float or not 0 <= value < 1:
        raise Unexpected
    return value


def positive(settings: Settings, key: str, default: float | None = None) -> float:
    """A number above 0."""
    value = settings.get(key, default)
    value = default if value is None else value
    if type(value) not in (int, float) or not 0 < float(value) < float("inf"):  # type: ignore[arg-type]
        raise Unexpected
    return float(value)  # type: ignore[arg-type]


def expect(settings: Settings, usual: Mapping[str, Any]) -> None:
    """Refuses settings that are there and have other values."""
    if any(settings.get(key, value) != value for key, value in usual.items()):
        raise Unexpected


def heeded(settings: Settings, unknown: Set[str]) -> Settings:
    """Without those that the architecture does not know, which it leaves aside."""
    return {key: value for key, value in settings.items() if key not in unknown}
