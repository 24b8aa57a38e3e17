"""Files and folders that appear whole or not at all: written aside, then renamed."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attar.errors import OutputError


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A place beside the target to write to; it takes the target's name when all went well, and is gone if not."""
    check_parent(path)
    with _explained(path):
        if path.is_dir():
            raise OutputError(f"can't write {str(path)!r}: it is a folder; give a file name")
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _explained(path):
            aside.touch()
            usual = stat.S_IMODE(aside.stat().st_mode)
        yield aside
        with _explained(path):
            os.chmod(aside, usual)  # safetensors makes files that their owner alone may read
            os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path, mark: str, *, overwrite: bool = False) -> Iterator[Path]:
    """The same for a folder; one that exists is refused, or with `overwrite` replaced if it holds the file `mark`.

    A link stays one.
    """
    check_target_folder(path, mark, overwrite=overwrite)
    with _explained(path):
        place = path.resolve()
        aside = Path(tempfile.mkdtemp(prefix=f".{place.name}.", suffix=".part", dir=place.parent))
    try:
        with _explained(path):
            yield aside
            _open_up(aside)
            if place.exists():
                old = aside.with_suffix(".old")
                os.replace(place, old)
                os.replace(aside, place)
                shutil.rmtree(old)
            else:
                os.replace(aside, place)
    finally:
        if aside.exists():
            shutil.rmtree(aside, ignore_errors=True)


def _open_up(folder: Path) -> None:
    """Gives all in it the modes that new files and folders usually have here."""
    probe = folder / ".probe"
    probe.touch()
    mode = stat.S_IMODE(probe.stat().st_mode)
    probe.unlink()
    for path in (folder, *folder.rglob("*")):
        os.chmod(path, mode | (mode & 0o444) >> 2 if path.is_dir() else mode)  # who may read a folder may enter it


def check_target_folder(path: Path, mark: str, *, overwrite: bool = False) -> None:
    """Says early that the folder can't be written; only an empty one, or one with the file `mark`, is ever replaced."""
    check_parent(path)
    with _explained(path):
        exists = path.exists()
    if exists and not (overwrite and path.is_dir()):
        hint = "it is a file" if path.is_file() else "it exists; remove it, choose another name or ask to overwrite it"
        raise OutputError(f"can't write the folder {str(path)!r}: {hint}")
    with _explained(path):
        held = sorted(os.listdir(path)) if exists else []
    if held and mark not in held:
        raise OutputError(
            f"can't overwrite the folder {str(path)!r}: it holds other things, such as {held[0]!r}, and no {mark}; "
            "remove it yourself or choose another name"
        )


def check_parent(path: Path) -> None:
    """Says early that nothing can be written there."""
    if "\0" in str(path):
        raise OutputError(f"can't write {str(path)!r}: a path has no NUL in it")
    parent = path.absolute().parent
    if not parent.is_dir():
        raise OutputError(f"can't write {str(path)!r}: there is no folder {str(parent)!r}")
    if not os.access(parent, os.W_OK):
        raise OutputError(f"can't write {str(path)!r}: no permission in {str(parent)!r}")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(f"can't write {str(path)!r}: {error.strerror or error}") from None
