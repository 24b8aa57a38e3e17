"""Work for executors under test; importable by their workers."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from attar.errors import InputError
from attar.io.foreign import reading


def square(number: int) -> int:
    return number * number


def threads(_: int) -> dict[str, str | None]:
    return {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "TOKENIZERS_PARALLELISM")}


def process(_: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def fail_on_three(number: int) -> int:
    if number == 3:
        raise ValueError("three is\nnot allowed")
    return number


def read_badly(number: int) -> int:
    """Texts that can't be used; a disk that can't be read."""
    if number == 0:
        raise InputError("no text")
    with reading("texts.txt"):
        raise OSError(5, "no disk") if number == 1 else UnicodeError("no letters")


@dataclass(frozen=True)
class DieOnce:
    """Kills its own process at the first attempt at each of these units."""

    folder: str
    units: tuple[int, ...]
    always: bool = False

    def __call__(self, number: int) -> int:
        seen = Path(self.folder) / str(number)
        if number in self.units and (self.always or not seen.exists()):
            seen.touch()
            os.kill(os.getpid(), 9)
        return number


@dataclass(frozen=True)
class Sleep:
    """Writes down its process, and takes an hour."""

    folder: str

    def __call__(self, _: int) -> None:
        aside = Path(self.folder, "aside")
        aside.write_text(str(os.getpid()))
        aside.rename(Path(self.folder, "pid"))
        time.sleep(3600)
