"""What runs in a worker, of whichever kind: one unit at a time, one thread each.

Run as `python -m attar.corpus.executors.worker FD`, it serves a local driver over that socket until it closes.
"""

from __future__ import annotations

import logging
import os
import select
import sys
from collections.abc import Callable
from threading import Thread
from typing import Any

from attar.corpus.executors.dispatch import WorkerAnswer
from attar.errors import InputError
from attar.io.system_errors import is_out_of_memory, reason_of

SINGLE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def attempt(work: Callable[[Any], Any], unit: Any) -> WorkerAnswer:
    """What came of it: errors travel as text, as not all of them can be sent."""
    os.environ.update(SINGLE_THREAD)
    logging.getLogger("attar").setLevel(logging.ERROR)  # the driver tells what happened, once for all shards
    try:
        return WorkerAnswer(work(unit))
    except Exception as error:
        return WorkerAnswer(
            failure=f"{type(error).__name__}: {' '.join(str(error).split())}", lasting=_is_lasting(error)
        )


def _is_lasting(error: BaseException) -> bool:
    """Whether it is an error of what was given, and not one of a disk, network or memory that may do better later."""
    if not isinstance(error, InputError):
        return False
    seen: BaseException | None = error
    while seen is not None:
        if reason_of(seen) is not None or is_out_of_memory(seen):
            return False
        seen = seen.__context__
    return True


def limit_threads() -> None:
    """One thread for libraries that were loaded before the environment variables were set."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1)


def serve(descriptor: int) -> None:
    from multiprocessing.connection import Connection

    Thread(target=_end_with_driver, args=(descriptor,), daemon=True).start()
    driver = Connection(descriptor)
    while True:
        try:
            message = driver.recv_bytes()
        except (EOFError, OSError):  # the driver is gone; whatever it asked for is on disk
            return
        try:
            driver.send(_answer(message))
        except (BrokenPipeError, ConnectionResetError):
            return


def _end_with_driver(descriptor: int) -> None:
    """Exit as soon as the driver ends, even in the middle of a unit: the job may be restarted with another recipe."""
    hung_up = select.poll()
    hung_up.register(descriptor, 0)  # nothing but the end, which is always told
    hung_up.poll()
    os._exit(1)


def _answer(message: bytes) -> WorkerAnswer:
    from multiprocessing.reduction import ForkingPickler

    try:
        work, unit = ForkingPickler.loads(message)
    except Exception as error:
        why = f"its worker can't import the work ({error}); define it in a module, not in a script"
        return WorkerAnswer(failure=why)
    return attempt(work, unit)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
