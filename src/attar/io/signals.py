"""Signals that ask a process to end: each ends it as Ctrl-C does, so that what was begun is tidied up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ASKING = ("SIGTERM", "SIGHUP")
received: list[int] = []  # signals that have asked the command that runs, or ran last, to end


class Stopped(KeyboardInterrupt):
    """A signal has asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.signal = number


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Raises `Stopped` where one of them arrives; those that are ignored (nohup) or handled by others stay so."""
    numbers = [getattr(signal, name) for name in _ASKING if hasattr(signal, name)]
    mine = [n for n in numbers if signal.getsignal(n) == signal.SIG_DFL and _is_main()]
    received.clear()
    for number in mine:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        for number in mine:
            signal.signal(number, signal.SIG_DFL)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def _stop(number: int, frame: FrameType | None) -> None:
    received.append(number)
    signal.signal(number, signal.SIG_IGN)  # a second one would only disturb the tidying up
    raise Stopped(number)
