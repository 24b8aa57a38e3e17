"""Every error Attar raises on purpose: each message says what was given, what is allowed and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any


class AttarError(Exception):
    """The root: the command line prints it in one line and exits with 2."""


class InputError(AttarError, ValueError):
    """A value, text, file or column that can't be used."""


class ModelError(AttarError, ValueError):
    """A model folder or name that can't be loaded, or can't do what was asked."""


class RecipeError(AttarError, ValueError):
    """A recipe that is damaged, altered, of an unknown version or can't be written."""


class OutputError(AttarError, OSError):
    """A target that can't be written."""


class DataError(AttarError, ValueError):
    """A dataset that is missing, malformed or of the wrong size."""


class MissingExtra(AttarError, ImportError):
    """An optional dependency is absent; the message names its pip line."""

    def __init__(self, needed_for: str, extra: str) -> None:
        super().__init__(f"{needed_for} needs packages that are not installed: pip install 'attar[{extra}]'")


def unknown_name(kind: str, given: object, allowed: Iterable[str]) -> InputError:
    """The error for a name that is not in a table of names, with the nearest one that is."""
    names = list(allowed)
    near = get_close_matches(str(given), names, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return InputError(f"unknown {kind} {given!r}{hint}; allowed: {', '.join(names)}")


if TYPE_CHECKING:
    from sklearn.exceptions import NotFittedError as _SklearnNotFitted

    class NotFittedError(AttarError, _SklearnNotFitted):  # type: ignore[misc]
        """Something that learns from texts was asked to work before it saw any."""


def __getattr__(name: str) -> Any:
    if name == "NotFittedError":
        return _not_fitted_error()
    raise AttributeError(f"module 'attar.errors' has no attribute {name!r}")


@cache
def _not_fitted_error() -> type[AttarError]:
    """NotFittedError is scikit-learn's too, which takes a second to import: the class is made when it is asked for."""
    from sklearn.exceptions import NotFittedError as SklearnNotFitted

    about = "Something that learns from texts was asked to work before it saw any."
    return type("NotFittedError", (AttarError, SklearnNotFitted), {"__module__": __name__, "__doc__": about})
