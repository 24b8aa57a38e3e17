"""Single keys of a terminal. None is lost or echoed between two questions, however fast they are pressed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def open_keys() -> Iterator[Callable[[], str]]:
    """Yields a function that waits for a key; at the end of input it returns the key that ends a dialogue."""
    try:
        import termios
        import tty
    except ImportError:  # not a Unix: one key at a time, by click
        import click

        yield click.getchar
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor, termios.TCSADRAIN)
    try:
        yield lambda: os.read(descriptor, 1).decode("latin-1") or "\x04"
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
