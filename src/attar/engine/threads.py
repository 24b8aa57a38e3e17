"""How the cores are shared: batches side by side, one core each; a batch alone has all that its products can use.

Threads that split one batch wait for each other at every product: slower than side by side, and many times slower as
soon as something else runs on one of the cores.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")


class _Here(threading.local):
    """How many threads the thread that runs may use for one product."""

    members = 1


_here = _Here()


def members() -> int:
    """How many threads a product of this thread may be shared by: all where one batch runs alone, else 1."""
    return _here.members


def run_all(work: Callable[[T], None], items: Sequence[T], n_threads: int, *, libraries: bool = True) -> None:
    """Do the work for each item; the first error ends it. `libraries`: the work multiplies by numpy or torch."""
    n_workers = min(n_threads, len(items))
    with _libraries.limited_to(1 if n_workers > 1 else n_threads) if libraries else nullcontext():
        if n_workers > 1:
            _side_by_side(work, items, n_workers)
        else:
            _one_by_one(work, items, n_threads, libraries)


def usual_threads() -> int:
    """As many as the libraries of matrix products would take, which the user may have limited."""
    counts = [torch.get_num_threads()] if (torch := _torch()) else []
    counts += [library.num_threads for library in _products().lib_controllers]
    return min(counts) if counts else os.cpu_count() or 1  # which reads a file


def _one_by_one(work: Callable[[T], None], items: Sequence[T], n_threads: int, libraries: bool) -> None:
    with shared_by(n_threads), _torch_limited_to(n_threads) if libraries else nullcontext():
        for item in items:
            work(item)


@contextmanager
def shared_by(n_threads: int) -> Iterator[None]:
    """Products of this thread are shared by so many."""
    before, _here.members = _here.members, n_threads
    try:
        yield
    finally:
        _here.members = before


def _side_by_side(work: Callable[[T], None], items: Sequence[T], n_workers: int) -> None:
    stopped = threading.Event()

    def one(item: T) -> None:
        if not stopped.is_set():
            work(item)

    # torch keeps the number of threads for each thread apart, so it is set in each worker.
    with ThreadPoolExecutor(n_workers, initializer=_one_torch_thread) as workers:
        try:
            futures = [workers.submit(one, item) for item in items]
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
        finally:
            stopped.set()


class _Libraries:
    """The number of threads of numpy's library and of scipy's, which all threads share: the first run that starts sets
    it, the last one that ends sets it back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._limit: Any = None

    @contextmanager
    def limited_to(self, n_threads: int) -> Iterator[None]:
        with self._lock:
            if self._running == 0:
                self._limit = _products().limit(limits=n_threads)
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1
                if self._running == 0:
                    self._limit.restore_original_limits()


_libraries = _Libraries()


def single_threaded() -> AbstractContextManager[None]:
    """numpy's and scipy's libraries keep to the thread that runs, unless others run now, with more."""
    return _libraries.limited_to(1)


@cache
def _products() -> Any:
    import scipy.linalg  # noqa: F401  its library of products and numpy's must be there to be found

    return ThreadpoolController().select(user_api="blas")


def _torch() -> Any:
    """torch where it is in use; it is never imported for this."""
    return sys.modules.get("torch")


def _one_torch_thread() -> None:
    if torch := _torch():
        torch.set_num_threads(1)


@contextmanager
def _torch_limited_to(n_threads: int) -> Iterator[None]:
    torch = _torch()
    if torch is None:
        yield
        return
    usual = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        yield
    finally:
        torch.set_num_threads(usual)
