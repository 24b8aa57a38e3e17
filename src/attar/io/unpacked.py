"""Files as bytes, unpacked where they are gzip, which their first bytes tell and never their names."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from attar.errors import DataError

_MAGIC = b"\x1f\x8b"
DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)  # what reading a damaged gzip file raises


@contextmanager
def open_unpacked(path: str | Path) -> Iterator[IO[bytes]]:
    """The file's bytes, unpacked if need be; a packed file can only be entered by unpacking what is before.

    Parameters
    ----------
    path : str or Path
        A file that is gzip or not, whatever its name ends in.

    Raises
    ------
    OSError
        Where it can't be opened. Reading may raise it too, or any of `DAMAGE`.
    """
    with open(path, "rb") as file:
        if not file.peek(len(_MAGIC)).startswith(_MAGIC):
            yield file
            return
        with gzip.GzipFile(fileobj=file) as unpacked:
            yield cast(IO[bytes], unpacked)


def is_packed(path: str | Path) -> bool:
    """Whether the file is gzip."""
    with open(path, "rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


@contextmanager
def open_data(path: Path) -> Iterator[IO[bytes]]:
    """The same of a dataset's file; whatever is wrong with it, also while it is read, is a DataError."""
    try:
        with open_unpacked(path) as file:
            yield file
    except DAMAGE as error:
        raise DataError(f"{path} is damaged gzip ({error}): fetch the file again") from error
    except OSError as error:
        raise DataError(
            f"{path} can't be read ({error.strerror or error}): check the path and its permissions"
        ) from error
