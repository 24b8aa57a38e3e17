"""One step of a job: all units that are not done yet, through the executor, with progress; failures are told."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from attar.corpus.executors import Done, Executor
from attar.corpus.job_folder import JobFolder
from attar.corpus.meter import Meter
from attar.errors import DataError

log = logging.getLogger("attar")
SHOWN = 5  # failed shards that a message tells of


class Named(Protocol):
    """A unit, as a step sees it."""

    @property
    def name(self) -> str: ...

    @property
    def rows(self) -> int: ...


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
                log.warning("%s failed %s times: %s", outcome.unit.name, outcome.attempts, outcome.reason)
    except KeyboardInterrupt:
        log.info("%s of %s shards are done; the same command goes on from there", meter.done, meter.shards)
        executor.close()  # so that nobody writes any more
        raise
    finally:
        meter.end()
        folder.sweep()
    if failed:
        told = "; ".join(f"{one.unit.name}: {one.reason}" for one in failed[:SHOWN])
        more = f"; and {len(failed) - SHOWN} more" if len(failed) > SHOWN else ""
        raise DataError(
            f"{len(failed)} of {meter.shards} shards failed, all others are done ({told}{more}); "
            "mend the cause and run the same command again"
        )


def mark_of(step: str, unit: Named) -> str:
    return f"{step}-{unit.name}" if step else unit.name
