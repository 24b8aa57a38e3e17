"""How long one text of a file may be, so that a file that unpacks without end is refused before memory is full."""

from __future__ import annotations

import os
from typing import IO, Protocol

from attar.errors import InputError

VARIABLE = "ATTAR_MAX_TEXT_BYTES"  # worker processes inherit it
DEFAULT = 1 << 24  # bytes: twenty novels
_MOST, _DIGITS = 1 << 40, 20  # more than any machine has memory for, and what all libraries take as a number


class BoundedLines(Protocol):
    """Anything that gives lines of bytes."""

    def readline(self, size: int = -1, /) -> bytes: ...


def max_text_bytes() -> int:
    """The limit in force."""
    given = os.environ.get(VARIABLE, "")
    if not given.isdecimal() or not given.strip("0"):
        return DEFAULT
    return min(int(given), _MOST) if len(given) <= _DIGITS else _MOST


def bounded_line(file: BoundedLines | IO[bytes], source: str) -> bytes:
    """The next line with its end; none at the end of the file.

    Raises
    ------
    InputError
        For a line beyond the limit, of which no more than that is read, and for one that is no text.
    """
    limit = max_text_bytes()
    line = file.readline(limit + 2)
    if len(line.rstrip(b"\r\n")) > limit:
        raise too_long(source)
    if b"\0" in line:
        raise InputError(
            f"{source!r} holds a NUL byte, as files in UTF-16 and files that are no text do; save it as UTF-8, or "
            "remove the byte"
        )
    return line


def check_text(text: object, source: str) -> None:
    """Refuse a text beyond the limit that has been read some other way."""
    if (
        isinstance(text, str)
        and len(text) > max_text_bytes() // 4
        and len(text.encode(errors="replace")) > max_text_bytes()
    ):
        raise too_long(source)


def too_long(source: str) -> InputError:
    """The error that says what to do."""
    return InputError(
        f"{source!r} holds a text of more than {max_text_bytes():,} bytes; split it, check that it is no damaged or "
        "endless file, or allow more with --max-text-bytes"
    )
