"""How the cores are shared: batches side by side, one core each; a batch alone has all of them.

Threads that split one batch wait for each other at every product: slower than side by side, and many times slower as
soon as something else runs on one of the cores.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

import torch

T = TypeVar("T")


def run_all(work: Callable[[T], None], items: Sequence[T], threads: int | None) -> None:
    """Do the work for each item; the first error ends it."""
    usual = torch.get_num_threads()
    n_threads = usual if threads is None else threads
    n_workers = min(n_threads, len(items))
    try:
        if n_workers <= 1:
            torch.set_num_threads(n_threads)
            for item in items:
                work(item)
        else:
            _side_by_side(work, items, n_workers)
    finally:
        torch.set_num_threads(usual)


def _side_by_side(work: Callable[[T], None], items: Sequence[T], n_workers: int) -> None:
    stopped = threading.Event()

    def one(item: T) -> None:
        if not stopped.is_set():
            work(item)

    # torch keeps the number of threads for each thread apart, so it is set in each worker.
    with ThreadPoolExecutor(n_workers, initializer=torch.set_num_threads, initargs=(1,)) as workers:
        try:
            futures = [workers.submit(one, item) for item in items]
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
        finally:
            stopped.set()
