"""LocalProcesses: workers on this machine; one that dies is replaced and its unit tried again."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Self, TypeVar

from attar.corpus.executors.dispatch import ATTEMPTS, Attempt, WorkerAnswer, dispatch
from attar.corpus.executors.executor import Outcome
from attar.corpus.executors.worker import SINGLE_THREAD
from attar.errors import InputError

U = TypeVar("U")
R = TypeVar("R")


@dataclass
class _Worker:
    process: subprocess.Popen[bytes]
    connection: Connection[Any, Any]
    attempt: Attempt[Any] | None = None


@dataclass
class LocalProcesses:
    """`workers` processes, one thread each; as many as there are cores to use unless given."""

    workers: int | None = None
    attempts: int = ATTEMPTS
    _workers: list[_Worker] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.workers is None:
            self.workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        if self.workers < 1:
            raise InputError(f"workers={self.workers} is not allowed; give 1 or more")

    def map(self, work: Callable[[U], R], units: Iterable[U]) -> Iterator[Outcome[U, R]]:
        return dispatch(self, work, units, self.attempts)

    # What `dispatch` asks of a pool

    def room(self) -> int:
        return (self.workers or 1) - self.under_way()

    def under_way(self) -> int:
        return sum(worker.attempt is not None for worker in self._workers)

    def submit(self, work: Callable[[Any], Any], attempt: Attempt[Any]) -> None:
        worker = next((w for w in self._workers if w.attempt is None), None)
        if worker is None:
            worker = _start()
            self._workers.append(worker)
        worker.attempt = attempt
        with suppress(BrokenPipeError, ConnectionResetError):  # it died while idle: `collect` will find out
            worker.connection.send((work, attempt.unit))

    def collect(self) -> list[tuple[Attempt[Any], WorkerAnswer]]:
        answers = []
        ready = wait([worker.connection for worker in self._workers if worker.attempt is not None])
        for worker in [w for w in self._workers if w.connection in ready]:
            attempt, worker.attempt = worker.attempt, None
            assert attempt is not None
            try:
                answer: WorkerAnswer = worker.connection.recv()
            except (EOFError, OSError):
                answer = WorkerAnswer(failure=self._retire(worker, patience=2.0))
            answers.append((attempt, answer))
        return answers

    def close(self) -> None:
        while self._workers:
            self._retire(self._workers[-1])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _retire(self, worker: _Worker, patience: float = 0.0) -> str:
        """Stop using a worker; returns how it ended."""
        self._workers.remove(worker)
        worker.connection.close()
        with suppress(subprocess.TimeoutExpired):  # it may be ending just now: that is the code to tell of
            worker.process.wait(patience)
        worker.process.kill()
        code = worker.process.wait()
        return f"its worker died ({f'signal {-code}' if code < 0 else f'exit code {code}'})"


def _start() -> _Worker:
    """Start a new interpreter that shares one socket with the driver; closing it ends the worker."""
    ours, theirs = socket.socketpair()
    environment = os.environ | SINGLE_THREAD | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "attar.corpus.executors.worker", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # the driver alone answers Ctrl-C
        )
    return _Worker(process, Connection(ours.detach()))
