"""One process per folder: a lock that is released when the process that holds it ends, however it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attar.errors import OutputError


@contextmanager
def exclusive(lock: Path) -> Iterator[None]:
    """Holds the lock, a file in the folder; refuses where another process is at work there."""
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
