"""One step of a job: all units that are not done yet, through the executor, with progress; failures are reported."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from attar.corpus.executors import Done, Executor
from attar.corpus.jobs.job_folder import JobFolder
from attar.errors import DataError
from attar.io.progress import is_watched

log = logging.getLogger("attar")
SHOWN = 5  # failed shards that a message tells of
EVERY = 30.0  # seconds between two lines of progress


class Named(Protocol):
    """A unit, as a step sees it."""

    @property
    def name(self) -> str: ...

    @property
    def rows(self) -> int: ...


@dataclass
class Meter:
    """Progress on stderr: a bar on a terminal, an occasional line in logs.

    `shards` and `rows` of the whole job; `wanted=False` keeps it silent.
    """

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


def run_step(
    executor: Executor,
    folder: JobFolder,
    step: str,
    work: Callable[[Any], Any],
    units: Callable[[], Iterable[Named]],
    meter: Meter,
) -> None:
    """`work` leaves a mark named `mark_of(step, unit)` for each unit; units that have one are passed over."""
    done = folder.done()
    missing = (unit for unit in units() if mark_of(step, unit) not in done)
    failed = []
    meter.begin(step, sum(mark_of(step, unit) in done for unit in units()))
    try:
        for outcome in executor.map(work, missing):
            if isinstance(outcome, Done):
                meter.advance(outcome.unit.rows)
            else:
                failed.append(outcome)
                tried = "" if outcome.attempts == 1 else f" {outcome.attempts} times"
                log.warning("%s failed%s: %s", outcome.unit.name, tried, outcome.reason)
    except KeyboardInterrupt:
        log.info("%s of %s shards are done; run the same command to continue", meter.done, meter.shards)
        executor.close()  # so that no worker writes any more
        raise
    finally:
        meter.end()
        folder.sweep()
    if failed:
        reasons = "; ".join(f"{one.unit.name}: {one.reason}" for one in failed[:SHOWN])
        more = f"; and {len(failed) - SHOWN} more" if len(failed) > SHOWN else ""
        raise DataError(
            f"{len(failed)} of {meter.shards} shards failed, all others are done ({reasons}{more}); "
            "fix the cause and run the same command again"
        )


def mark_of(step: str, unit: Named) -> str:
    return f"{step}-{unit.name}" if step else unit.name
