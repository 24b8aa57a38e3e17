"""What the system said no to, whichever library was told."""

from __future__ import annotations

import errno
import os
import re

from attar.errors import AttarError

_NO_MEMORY = ("can't allocate memory", "failed to map segment", "annot allocate memory")
_RUST = re.compile(r"\(os error (\d+)\)")  # how safetensors and tokenizers pass it on


def is_out_of_memory(error: BaseException) -> bool:
    """Whether there was no memory left; torch and the loader of libraries say so in words only."""
    said = isinstance(error, (RuntimeError, ImportError)) and any(words in str(error) for words in _NO_MEMORY)
    return isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM or said


def reason_of(error: BaseException) -> str | None:
    """The system's own words, such as "No space left on device"; None where it was not the system."""
    if isinstance(error, (AttarError, BrokenPipeError)) or is_out_of_memory(error):
        return None  # a reader that stopped is no failure, and memory is told of elsewhere
    if isinstance(error, UnicodeEncodeError):  # half a character, of a name or a text that is not UTF-8
        return f"{error.object[error.start : error.end][:20]!a} can't be written as {error.encoding}"
    if isinstance(error, OSError):
        return error.strerror or " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, RuntimeError) and "symlink loop" in str(error).lower():  # pathlib before 3.13
        return "too many levels of symbolic links"
    found = _RUST.search(str(error)) if isinstance(error, Exception) else None
    return os.strerror(int(found[1])) if found else None
