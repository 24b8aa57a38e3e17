"""Progress of a job on stderr: shards done, texts a second, time left; a bar for eyes, now and then a line for logs."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import Any

from attar.io.progress import is_watched

log = logging.getLogger("attar")
EVERY = 30.0  # seconds between two lines


@dataclass
class Meter:
    """`shards` and `rows` of the whole job; `wanted=False` keeps it silent."""

    shards: int
    rows: int
    wanted: bool = True
    done: int = field(default=0, init=False)
    _rows: int = field(default=0, init=False)
    _start: float = field(default=0.0, init=False)
    _told: float = field(default=0.0, init=False)
    _bar: Any = field(default=None, init=False)

    def begin(self, what: str, done: int) -> None:
        """A step of which so many shards were done by an earlier run."""
        self.done, self._rows, self._start = done, 0, time.monotonic()
        self._told = self._start
        if done and self.wanted:
            log.info("%s of %s shards are done already", f"{done:,}", f"{self.shards:,}")
        if self.wanted and is_watched():
            from tqdm import tqdm

            left = self.rows * (self.shards - done) // self.shards
            self._bar = tqdm(total=left, desc=what or None, unit=" texts", unit_scale=True, leave=False)
            self._bar.set_postfix_str(self._shards(), refresh=True)

    def advance(self, rows: int) -> None:
        """One more shard, of so many texts."""
        self.done, self._rows = self.done + 1, self._rows + rows
        if self._bar is not None:
            self._bar.set_postfix_str(self._shards(), refresh=False)
            self._bar.update(rows)
        elif self.wanted and time.monotonic() - self._told >= EVERY:
            self._told = time.monotonic()
            log.info("%s", self.line(self._told - self._start))

    def end(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def line(self, seconds: float) -> str:
        """What the log gets after so many seconds."""
        rate = self._rows / max(seconds, 1e-9)
        left = self.rows * (self.shards - self.done) / self.shards / max(rate, 1e-9)
        return f"{self._shards()}, {rate:,.0f} texts/s, {left / 60:,.1f} minutes left"

    def _shards(self) -> str:
        return f"{self.done:,} of {self.shards:,} shards"
