"""What is said when a command is stopped that keeps what it has done."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

log = logging.getLogger("attar")


@contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Says, when stopped, that what is done stays in the folder."""
    try:
        yield
    except KeyboardInterrupt:
        if folder.exists():
            log.info("what is done is kept in %s: the same command goes on from there", folder)
        raise
