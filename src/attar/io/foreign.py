"""The one place where whatever is raised while a file of others is read becomes an error of that file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attar.errors import AttarError, InputError
from attar.io.system_errors import is_out_of_memory
from attar.io.through import is_stream

_LONGEST = 300  # characters of another library's message
_DEEP = "things are nested too deeply in it"
_PANIC = "PanicException"  # of libraries in Rust; not an Exception, and known by its name only


@contextmanager
def reading(what: str | Path, kind: type[AttarError] = InputError) -> Iterator[None]:
    """Turns anything that goes wrong inside into one sentence about the file.

    Parameters
    ----------
    what : str or Path
        The file or folder that is read.
    kind : type
        The error to raise.

    Raises
    ------
    AttarError
        Of the wanted kind; errors of our own pass as they are.
    """
    try:
        yield
    except AttarError:
        raise
    except Exception as error:
        raise kind(f"{_shown(what)} can't be read: {_reason(error)}") from error
    except BaseException as error:
        if type(error).__name__ != _PANIC:
            raise
        raise kind(f"{_shown(what)} can't be read: {_reason(error)}") from error


def parse_json(text: str | bytes, what: str | Path, kind: type[AttarError] = InputError) -> Any:
    """The content of a JSON text of others, or an error that names its file."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise kind(f"{_shown(what)} can't be read as JSON: {error}") from None
    except RecursionError:
        raise kind(f"{_shown(what)} can't be read as JSON: {_DEEP}") from None


def read_json_object(path: Path, kind: type[AttarError] = InputError) -> dict[str, Any]:
    """A file that holds a JSON object."""
    with reading(path, kind):
        if path.exists() and is_stream(path):  # it would be waited for
            raise kind(f"{_shown(path)} is a pipe or device, not a file")
        content = parse_json(path.read_bytes(), path, kind)
    if not isinstance(content, dict):
        raise kind(f"{_shown(path)} should hold a JSON object; it holds a {type(content).__name__}")
    return content


def _reason(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return _DEEP
    if is_out_of_memory(error):
        return "there is not enough memory for what it asks for"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    said = " ".join(str(error).split())
    if not said or isinstance(error, (TypeError, LookupError, AttributeError)):  # which say little by themselves
        said = f"{type(error).__name__} {said}".strip()
    return said if len(said) <= _LONGEST else said[: _LONGEST - 3] + "..."


def _shown(what: str | Path) -> str:
    text = str(what)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
