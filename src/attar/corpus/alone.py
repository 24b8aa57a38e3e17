"""One driver a folder: a lock that ends with the process that holds it, however that ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attar.errors import OutputError

LOCK = "_lock"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Refuses where another one is at work: each would take what the other's workers write for left behind."""
    import fcntl  # not there on Windows, where checksums can still be verified

    with open(folder / LOCK, "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(
                f"another process is writing to {str(folder)!r}; wait until it has ended, or choose another folder"
            ) from None
        except OSError:
            pass  # a file system without locks
        yield
