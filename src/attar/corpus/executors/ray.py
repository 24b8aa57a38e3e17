"""RayTasks: every unit is one Ray task of one CPU; its worker or its whole node may die."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, TypeVar

from attar.corpus.executors.dispatch import ATTEMPTS, Attempt, WorkerAnswer, dispatch
from attar.corpus.executors.executor import Outcome
from attar.corpus.executors.worker import attempt as run_attempt
from attar.errors import InputError, MissingExtra

log = logging.getLogger("attar")

U = TypeVar("U")
R = TypeVar("R")

AHEAD = 2  # tasks in Ray's hands for each CPU: one runs, one waits
PATIENCE = 10.0  # seconds between looks at a cluster that does not answer
_OF_OUR_OWN = {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}  # not reachable from the network
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])  # of HTTP/2, then no settings


@dataclass
class RayTasks:
    """On the cluster at `address`; without one, on what RAY_ADDRESS names, or a small one started here.

    `workers` bounds the tasks that run at once (default: the CPUs of the cluster, as nodes come and go).
    All nodes need this package and the same view of the files.
    """

    address: str | None = None
    workers: int | None = None
    attempts: int = ATTEMPTS
    _ours: bool = field(default=False, init=False, repr=False)
    _task: Any = field(default=None, init=False, repr=False)
    _running: dict[Any, Attempt[Any]] = field(default_factory=dict, init=False, repr=False)
    _cpus: tuple[float, int] = field(default=(0.0, 0), init=False, repr=False)  # (when seen, how many)

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise InputError(f"workers={self.workers} is not allowed; give 1 or more")
        ray = _ray()
        if not ray.is_initialized():
            found = self.address or os.environ.get("RAY_ADDRESS")
            _check_reachable(found)
            own = {} if found else {"num_cpus": self.workers} | _OF_OUR_OWN
            try:
                # "local": else Ray would join a cluster that somebody has left running here
                ray.init(address=found or "local", log_to_driver=False, logging_level=logging.ERROR, **own)
            except (ConnectionError, RuntimeError, ValueError) as error:
                reason = " ".join(str(error).split())[:200]
                raise InputError(
                    f"no Ray cluster at {found or 'local'!r}: {reason}; start one with `ray start --head`"
                ) from None
            self._ours = True
        self._task = ray.remote(num_cpus=1, max_retries=0)(run_attempt)  # `dispatch` tries again, and counts

    def map(self, work: Callable[[U], R], units: Iterable[U]) -> Iterator[Outcome[U, R]]:
        return dispatch(self, work, units, self.attempts)

    # What `dispatch` asks of a pool

    def room(self) -> int:
        wanted = AHEAD * self._n_cpus() if self.workers is None else self.workers
        return max(wanted, 1) - len(self._running)

    def under_way(self) -> int:
        return len(self._running)

    def submit(self, work: Callable[[Any], Any], attempt: Attempt[Any]) -> None:
        self._running[self._task.remote(work, attempt.unit)] = attempt

    def collect(self) -> list[tuple[Attempt[Any], WorkerAnswer]]:
        ray = _ray()
        ready, _ = ray.wait(list(self._running), timeout=PATIENCE)
        if not ready and not self._n_cpus():
            log.warning("the Ray cluster has no CPU: %s units wait for a node", len(self._running))
        answers = []
        for reference in ready:
            attempt = self._running.pop(reference)
            try:
                answer: WorkerAnswer = ray.get(reference)
            except ray.exceptions.RayError as error:
                answer = WorkerAnswer(failure=f"its worker or node was lost ({type(error).__name__})")
            answers.append((attempt, answer))
        return answers

    def close(self) -> None:
        ray = _ray()
        for reference in self._running:
            ray.cancel(reference, force=True)
        self._running.clear()
        if self._ours:
            ray.shutdown()
            self._ours = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _n_cpus(self) -> int:
        """CPUs of the cluster, asked for at most once per second."""
        seen, cpus = self._cpus
        if time.monotonic() - seen > 1.0:
            cpus = int(_ray().cluster_resources().get("CPU", 0))
            self._cpus = (time.monotonic(), cpus)
        return cpus


def _check_reachable(address: str | None) -> None:
    """Fail at once where no Ray cluster answers: Ray itself retries for minutes."""
    host, _, port = (address or "").rpartition(":")
    if not host or not port.isdigit() or "/" in host:
        return  # none given, "auto", or ray://...: for Ray to understand
    try:
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as there:
            if os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true"):
                return
            there.sendall(GREETING)
            answer = there.recv(9, socket.MSG_WAITALL)
            if answer[3:4] != b"\x04":  # the settings that gRPC answers with
                raise OSError(f"it answers {answer!r}, which is not gRPC")
    except (OSError, OverflowError) as error:
        raise InputError(f"no Ray cluster at {address!r}: {error}; start one with `ray start --head`") from None


def _ray() -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise MissingExtra("the executor 'ray'", "ray") from None
    return ray
