"""Devices, pipes and this process's own descriptors: written through, never replaced."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

_MOST_LINKS = 40


def is_stream(path: Path) -> bool:
    """Whether the path leads to something that takes bytes but is not a file with a name of its own."""
    if _descriptor(path) is not None:
        return True
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def ending(path: Path, of_streams: str) -> str:
    """What tells the format: the ending of a name; a device or pipe that has none gets `of_streams`."""
    try:
        return path.suffix or (of_streams if is_stream(path) else "")
    except OSError:  # told when it is opened
        return path.suffix


def copy_through(source: Path, stream: Path) -> None:
    """Sends the bytes of a file to a stream."""
    number = _descriptor(stream)
    with open(source, "rb") as file, open(stream if number is None else os.dup(number), "wb") as out:
        shutil.copyfileobj(file, out, 1 << 20)


def _descriptor(path: Path) -> int | None:
    """N, where a path such as /dev/stdout or /dev/fd/N leads to an open descriptor of this process."""
    own = Path(f"/proc/{os.getpid()}/fd")
    for _ in range(_MOST_LINKS):
        if path.name.isdecimal() and path.parent.resolve() == own:
            return int(path.name)
        if not path.is_symlink():
            return None
        path = path.parent / os.readlink(path)
    return None
