"""Locks that are released when the process that holds them ends, however it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attar.errors import OutputError


@contextmanager
def exclusive(lock: Path) -> Iterator[None]:
    """Holds the lock, a file in a folder; refuses where another process is at work there."""
    import fcntl  # not there on Windows, where folders can still be read and verified

    with open(lock, "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(
                f"another process is writing to {str(lock.parent)!r}; wait until it has ended, or choose another folder"
            ) from None
        except OSError:
            pass  # a file system without locks
        yield


def try_lock(folder: Path) -> int | None:
    """The descriptor of a folder that is locked until it is closed; None if another holds it, or there are no locks."""
    try:
        import fcntl
    except ImportError:
        return None
    descriptor = None
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if descriptor is not None:
            os.close(descriptor)
        return None
    return descriptor
