"""Suppresses transformers' output while a model is loaded or written."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and no advice from transformers on stderr."""
    from transformers.utils import logging as settings

    library = logging.getLogger("transformers")
    level, bars = library.level, settings.is_progress_bar_enabled()
    library.setLevel(logging.ERROR)
    settings.disable_progress_bar()
    try:
        yield
    finally:
        library.setLevel(level)
        if bars:
            settings.enable_progress_bar()
