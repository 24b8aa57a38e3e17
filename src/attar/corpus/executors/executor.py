"""The one interface: map work over units that may be done twice, and get each outcome as it comes.

Merging is mapping too: partial results lie in files, and a second map adds them up, slice by slice, in a fixed order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

U = TypeVar("U")
R = TypeVar("R")


@dataclass(frozen=True)
class Done(Generic[U, R]):
    """A unit that was worked off."""

    unit: U
    result: R


@dataclass(frozen=True)
class Failed(Generic[U]):
    """A unit that was tried as often as allowed."""

    unit: U
    reason: str  # of the last attempt
    attempts: int


Outcome = Done[U, R] | Failed[U]


class Executor(Protocol):
    """Work is a function or callable object that can be imported where it runs; its results are small.

    A unit whose worker raises, or dies, is tried again; never more units are under way than workers can soon take.
    Every worker computes with one thread, so that the same unit gives the same bytes wherever it runs.
    """

    def map(self, work: Callable[[U], R], units: Iterable[U]) -> Iterator[Outcome[U, R]]:
        """Outcomes in the order in which they come; units are drawn only as there is room for them."""
        ...

    def close(self) -> None:
        """Let workers go."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
