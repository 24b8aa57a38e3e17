"""Text files, plain or gzipped, as lines; whatever is wrong with them becomes a DataError."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from attar.errors import DataError, InputError
from attar.io.bounds import bounded_line
from attar.io.unpacked import open_data

Encoding = Literal["utf-8", "latin-1"]  # latin-1 never fails: only for files known to be in it


def read_text(path: Path, encoding: Encoding = "utf-8") -> str:
    """The whole file, without a byte order mark; gzip is known by its first bytes, not by the name."""
    try:
        with open_data(path) as file:
            raw = b"".join(iter(lambda: bounded_line(file, str(path)), b""))
    except InputError as error:
        raise DataError(str(error)) from None
    try:
        return raw.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path} is not valid UTF-8: byte 0x{raw[error.start]:02x} in line {line}. Save the file as UTF-8"
        ) from error


def read_lines(path: Path, encoding: Encoding = "utf-8") -> list[str]:
    """The lines without their ends. Only a newline ends a line: str.splitlines would cut texts at U+0085 or U+2028."""
    lines = read_text(path, encoding).split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]
