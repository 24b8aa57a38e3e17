"""What all executors share: keep the workers busy and retry failed units without stopping the others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from attar.corpus.executors.executor import Done, Failed, Outcome

ATTEMPTS = 4  # of a unit, whatever ended them but its input: an error, a killed worker, a lost node

U = TypeVar("U")


@dataclass(frozen=True)
class WorkerAnswer:
    """The outcome of one attempt: a result, or the reason why it failed."""

    result: Any = None
    failure: str | None = None
    lasting: bool = False  # it would fail again


@dataclass
class Attempt(Generic[U]):
    """A unit under way."""

    unit: U
    number: int = 1


class Pool(Protocol):
    """Workers that take attempts and answer in any order."""

    def room(self) -> int:
        """How many more attempts may be submitted now."""
        ...

    def submit(self, work: Callable[[Any], Any], attempt: Attempt[Any]) -> None: ...

    def collect(self) -> list[tuple[Attempt[Any], WorkerAnswer]]:
        """Wait for answers; may come back with none."""
        ...

    def under_way(self) -> int: ...


def dispatch(pool: Pool, work: Callable[[U], Any], units: Iterable[U], attempts: int) -> Iterator[Outcome[U, Any]]:
    """Feed the pool until every unit is done or has failed for good."""
    fresh = iter(units)
    again: deque[Attempt[U]] = deque()
    exhausted = False
    while True:
        while pool.room() > 0 and (again or not exhausted):
            if again:
                pool.submit(work, again.popleft())
                continue
            try:
                unit = next(fresh)
            except StopIteration:
                exhausted = True
            else:
                pool.submit(work, Attempt(unit))
        if exhausted and not again and not pool.under_way():
            return
        for attempt, answer in pool.collect():
            if answer.failure is None:
                yield Done(attempt.unit, answer.result)
            elif attempt.number < attempts and not answer.lasting:
                again.append(Attempt(attempt.unit, attempt.number + 1))
            else:
                yield Failed(attempt.unit, answer.failure, attempt.number)
