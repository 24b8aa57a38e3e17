"""The standard streams, which a shell may have closed, or which lead to a full disk or a reader that has gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


def complete_streams() -> None:
    """Puts something in the place of streams that are closed.

    A descriptor that stays closed would be given to the next file that is opened, and errors be written into it. What
    is written to a closed stdout is an error, told like any other; what is said on a closed stderr is lost.
    """
    if sys.stdin is None:
        _fill(0, os.O_RDONLY)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    if sys.stdout is None:
        _fill(1, os.O_RDONLY)  # can't be written
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        _fill(2, os.O_WRONLY)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)


def _fill(number: int, flags: int) -> None:
    with suppress(OSError):
        os.fstat(number)
        return  # taken by a file that was opened since
    opened = os.open(os.devnull, flags)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)


def drop_output() -> None:
    """From now on stdout leads nowhere, so that what is still to be written can't fail when Python ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def say(line: str) -> None:
    """A line on stderr, if it can be written."""
    with suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)


@contextmanager
def silent_panics() -> Iterator[None]:
    """Nothing that a library in Rust or C writes to stderr itself is seen; what it raises tells enough.

    The whole process is silent meanwhile, so it is for moments only.
    """
    try:
        kept = os.dup(2)
    except OSError:  # closed
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
