"""Places to write to before anything has its name: folders that their maker holds a lock on while it lives.

Whoever finds one that is not locked knows that its maker is dead, on whatever machine it ran, and removes it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attar.io.locks import try_lock

SUFFIX = ".attar-part"
_GONE = "gone"  # in it: what is being removed
OLD = "old"  # in it: folders that were moved out of the way, where two folders can't be exchanged at once
_LONGEST = 40  # characters of the target's name that are shown in the name of its place
_tidied: set[Path] = set()  # folders that this process has looked through


@contextmanager
def place_aside(parent: Path, name: str) -> Iterator[Path]:
    """A new folder in `parent` for what is to be called `name`; gone afterwards, with all that is still in it."""
    remove_leftovers(parent)
    folder, lock = _make(parent, name)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)
        if folder.exists():  # where no more files could be opened, there is one less open now
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def scratch() -> Iterator[Path]:
    """A new folder among the system's temporary ones, gone afterwards."""
    with place_aside(Path(tempfile.gettempdir()), "scratch") as folder:
        yield folder


def remove_folder(folder: Path) -> None:
    """Removes it in one step: whoever is killed meanwhile leaves all of it under its name, or nothing."""
    with suppress(OSError), place_aside(folder.parent, folder.name) as place:
        os.rename(folder, place / _GONE)


def remove_leftovers(parent: Path) -> None:
    """Removes what dead processes have left in a folder, once in the life of this process."""
    if parent in _tidied:
        return
    _tidied.add(parent)
    with suppress(OSError), os.scandir(parent) as entries:
        for folder in [Path(entry) for entry in entries if entry.name.endswith(SUFFIX) and _is_mine(entry)]:
            _remove_if_dead(folder)


def _is_mine(entry: os.DirEntry[str]) -> bool:
    if not entry.is_dir(follow_symlinks=False):
        return False
    return not hasattr(os, "geteuid") or entry.stat(follow_symlinks=False).st_uid == os.geteuid()


def _remove_if_dead(folder: Path) -> None:
    lock = try_lock(folder)
    if lock is None:
        return
    try:
        for moved in (folder / OLD).glob("*"):
            target = folder.parent / moved.name
            if not os.path.lexists(target):  # killed between two renames: the old one has its name again
                os.rename(moved, target)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _make(parent: Path, name: str) -> tuple[Path, int | None]:
    """The folder and the lock on it, if this system has locks; made anew should another process have tidied it away."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f".{name[:_LONGEST]}.", suffix=SUFFIX, dir=parent))
        lock = try_lock(folder)
        if folder.is_dir():
            return folder, lock
        if lock is not None:
            os.close(lock)
