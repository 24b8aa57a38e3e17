"""Files and folders that appear whole or not at all: written aside, then renamed. Links and devices stay."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from attar.errors import OutputError
from attar.io.aside import OLD, SUFFIX, place_aside, remove_leftovers
from attar.io.exchange import exchange
from attar.io.system_errors import reason_of
from attar.io.through import copy_through, is_stream

Owns = Callable[[Sequence[str]], bool]  # whether a folder that holds these names is of the wanted kind


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A place to write to; what is in it takes the target's name when all went well, and is gone if not.

    Where the target is a link, the file behind it is replaced; a device or pipe is sent what was written.

    Parameters
    ----------
    path : Path
        The target.

    Yields
    ------
    Path
        An empty file of the same name in another folder.

    Raises
    ------
    OutputError
        If nothing can be written there, now or in the end.
    """
    check_target_file(path)
    with explained(path):
        stream = is_stream(path)
        target = path if stream else path.resolve()
        parent = Path(tempfile.gettempdir()) if stream else target.parent
        with place_aside(parent, target.name) as folder:
            aside = folder / target.name
            aside.touch()
            usual = stat.S_IMODE(aside.stat().st_mode)
            yield aside
            os.chmod(aside, usual)  # safetensors makes files that their owner alone may read
            if stream:
                copy_through(aside, path)
            else:
                os.replace(aside, target)


@contextmanager
def new_folder(path: Path, mark: str, *, overwrite: bool = False) -> Iterator[Path]:
    """The same for a folder; one that exists is refused, or with `overwrite` replaced if it holds the file `mark`.

    A link stays one. There is no moment without the old folder or the new one under the name, where the system can
    exchange two names at once; elsewhere the next run puts right what a kill between two renames has left.
    """
    check_target_folder(path, mark, overwrite=overwrite)
    with explained(path):
        target = path.resolve()
        with place_aside(target.parent, target.name) as place:
            aside = place / target.name
            aside.mkdir()
            yield aside
            _open_up(aside)
            _replace(aside, target, place / OLD)


def replace_folder(new: Path, path: Path) -> None:
    """Gives a finished folder, beside its target, the target's name; what had it goes. Killed, either is there."""
    with explained(path):
        target = path.resolve()
        with place_aside(target.parent, target.name) as place:
            aside = place / target.name
            os.rename(new, aside)
            _replace(aside, target, place / OLD)


def _replace(new: Path, target: Path, old: Path) -> None:
    if not target.exists():
        os.rename(new, target)
    elif not exchange(new, target):
        old.mkdir()
        os.rename(target, old / target.name)
        os.rename(new, target)


def _open_up(folder: Path) -> None:
    """Gives all in it the modes that new files and folders usually have here."""
    probe = folder / ".probe"
    probe.touch()
    mode = stat.S_IMODE(probe.stat().st_mode)
    probe.unlink()
    for path in (folder, *folder.rglob("*")):
        os.chmod(path, mode | (mode & 0o444) >> 2 if path.is_dir() else mode)  # who may read a folder may enter it


def check_target_file(path: Path) -> None:
    """Says early that the file can't be written."""
    _check_name(path)
    with explained(path):
        if path.is_dir():
            raise OutputError(f"can't write {str(path)!r}: it is a folder; give a file name")
        if not is_stream(path):
            _check_parent(path, path.resolve().parent)
        elif not os.access(path, os.W_OK):
            raise OutputError(f"can't write {str(path)!r}: no permission")


def check_not_read(target: str | Path, *sources: str | Path | None) -> None:
    """Refuses a target that is one of the files that are read, or weights in a folder of them.

    Parameters
    ----------
    target : str or Path
        A file that may be there already.
    *sources : str, Path or None
        What is read: files, folders, names of other things.

    Raises
    ------
    OutputError
        If writing it would destroy what is read.
    """
    path = Path(target)
    for source in [Path(given) for given in sources if given]:
        with suppress(OSError, ValueError):  # what can't be looked at is not overwritten either
            held = source.glob("*.safetensors") if source.is_dir() else [source]
            if path.is_file() and any(file.exists() and os.path.samefile(file, path) for file in held):
                break
    else:
        return
    raise OutputError(f"can't write {str(path)!r}: it is read from; give another name")


def check_target_folder(path: Path, mark: str, *, overwrite: bool = False) -> None:
    """Says early that the folder can't be written; only an empty one, or one with the file `mark`, is ever replaced."""
    held = _held(path)
    if held is not None and not overwrite:
        raise OutputError(
            f"can't write the folder {str(path)!r}: it exists; remove it, choose another name or overwrite it "
            "(--overwrite, or overwrite=True in Python)"
        )
    _refuse_others(path, held, lambda names: mark in names, f"no {mark}")


def make_own_folder(path: Path, owns: Owns, kind: str) -> None:
    """Makes a folder to work in, or takes one that is empty or of the wanted kind already; refuses any other.

    Parameters
    ----------
    path : Path
        The folder.
    owns : callable
        Whether a folder that holds these names (sorted, never none) is of the kind.
    kind : str
        What the kind is called, such as "the folder of a sweep".

    Raises
    ------
    OutputError
        If it is a file, holds other things or can't be made.
    """
    check_own_folder(path, owns, kind)
    with explained(path):
        path.mkdir(exist_ok=True)


def check_own_folder(path: Path, owns: Owns, kind: str) -> None:
    """The same, without making it."""
    _refuse_others(path, _held(path), owns, f"it is not {kind}")


def _held(path: Path) -> list[str] | None:
    """What a folder to be written holds already; None if it is not there."""
    _check_name(path)
    with explained(path):
        if not path.is_dir():
            check_parent(path)
        remove_leftovers(path.resolve().parent)
        if path.exists() and not path.is_dir():
            raise OutputError(f"can't write the folder {str(path)!r}: it is a file")
        return sorted(n for n in os.listdir(path) if not n.endswith(SUFFIX)) if path.exists() else None


def _refuse_others(path: Path, held: list[str] | None, owns: Owns, lacking: str) -> None:
    if held and not owns(held):
        raise OutputError(
            f"can't write the folder {str(path)!r}: it holds other things, such as {held[0]!r}, and {lacking}; "
            "remove it yourself or choose another name"
        )


def check_parent(path: Path) -> None:
    """Says early that nothing can be written there."""
    _check_name(path)
    _check_parent(path, path.absolute().parent)


def _check_name(path: Path) -> None:
    if "\0" in str(path):
        raise OutputError(f"can't write {str(path)!r}: a path has no NUL in it")


def _check_parent(path: Path, parent: Path) -> None:
    if not parent.is_dir():
        raise OutputError(f"can't write {str(path)!r}: there is no folder {str(parent)!r}")
    if not os.access(parent, os.W_OK):
        raise OutputError(f"can't write {str(path)!r}: no permission in {str(parent)!r}")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns what the system says against writing into an error that names the target."""
    try:
        yield
    except Exception as error:
        reason = reason_of(error)
        if isinstance(error, OutputError) or reason is None:
            raise
        raise OutputError(f"can't write {str(path)!r}: {reason}") from None
