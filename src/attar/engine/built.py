"""The compiled libraries beside this file, opened only where they were built from the sources that are here.

A library of other sources may take other arguments, and a call would end the process or give nonsense.
"""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from attar._version import __version__
from attar.engine.stamp import fits, stamp

log = logging.getLogger("attar")
FOLDER = Path(__file__).parent


def open_built(name: str, declare: Callable[[ctypes.CDLL], None], folder: Path = FOLDER) -> ctypes.CDLL | None:
    """A library with its functions declared; None where it was not built, or for another machine or other sources.

    Parameters
    ----------
    name : str
        Of its file, without the ending.
    declare : callable
        Says what its functions take.
    folder : Path
        Where it lies, with its sources if they were not left behind.
    """
    for ending in reversed(EXTENSION_SUFFIXES):  # the plain one first: setup.py names no version of Python
        path = folder / (name + ending)
        if path.is_file():
            return _opened(path, declare)
    return None


def _opened(path: Path, declare: Callable[[ctypes.CDLL], None]) -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(str(path))
    except OSError:  # built for another machine
        return None
    if not fits(_built_from(library), stamp(__version__, path.parent)) or not _is_declared(library, declare):
        log.warning(
            "%s was built from other sources than these, so it is not used, which is slow: build it again with "
            "`pip install --no-deps -e .` in the checkout, or install attar again",
            path.name,
        )
        return None
    return library


def _is_declared(library: ctypes.CDLL, declare: Callable[[ctypes.CDLL], None]) -> bool:
    try:
        declare(library)
    except AttributeError:  # a function is not in it
        return False
    return True


def _built_from(library: ctypes.CDLL) -> str:
    try:
        function = library.attar_built_from
    except AttributeError:  # built before libraries said so
        return ""
    function.restype = ctypes.c_char_p
    return bytes(function() or b"").decode("ascii", "replace")
