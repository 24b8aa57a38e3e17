"""Options that several commands share, and that each of them gets as one argument."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def gathered(command: Callable[..., Any], options: Sequence[Decorator], name: str, choice: type) -> Callable[..., Any]:
    """Adds options to a command, which gets their values as the argument `name`: a dataclass with a field for each."""

    def gather(**given: Any) -> Any:
        return command(**{name: choice(**{field.name: given.pop(field.name) for field in fields(choice)})}, **given)

    gather.__doc__, gather.__name__ = command.__doc__, command.__name__
    # Options are collected from the inside out, as click does with decorators of its own.
    gather.__click_params__ = getattr(command, "__click_params__", [])  # type: ignore[attr-defined]
    wrapped: Callable[..., Any] = gather
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped
