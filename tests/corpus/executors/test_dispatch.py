"""Units are drawn as there is room, tried again when they fail, and given up alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from attar.corpus.executors import Done, Failed, open_executor
from attar.corpus.executors.dispatch import Attempt, WorkerAnswer, dispatch
from attar.errors import InputError


class FakePool:
    """Answers the oldest attempt; fails each unit as often as told."""

    def __init__(self, size: int, failures: dict[int, int]) -> None:
        self.size, self.failures = size, failures
        self.queue: list[Attempt[int]] = []
        self.most = 0

    def room(self) -> int:
        return self.size - len(self.queue)

    def under_way(self) -> int:
        return len(self.queue)

    def submit(self, work: Callable[[Any], Any], attempt: Attempt[Any]) -> None:
        self.queue.append(attempt)
        self.most = max(self.most, len(self.queue))

    def collect(self) -> list[tuple[Attempt[Any], WorkerAnswer]]:
        attempt = self.queue.pop(0)
        failing = attempt.number <= self.failures.get(attempt.unit, 0)
        return [(attempt, WorkerAnswer(failure="lost") if failing else WorkerAnswer(attempt.unit * 10))]


def test_failed_units_are_tried_again_then_reported() -> None:
    pool = FakePool(2, {1: 2, 3: 99})
    outcomes = list(dispatch(pool, abs, range(5), attempts=3))
    assert sorted(one.unit for one in outcomes if isinstance(one, Done)) == [0, 1, 2, 4]
    assert [one for one in outcomes if isinstance(one, Failed)] == [Failed(3, "lost", 3)]
    assert next(one.result for one in outcomes if isinstance(one, Done) and one.unit == 4) == 40


def test_what_would_fail_again_is_not_tried_again() -> None:
    class Lasting(FakePool):
        def collect(self) -> list[tuple[Attempt[Any], WorkerAnswer]]:
            return [(self.queue.pop(0), WorkerAnswer(failure="no texts", lasting=True))]

    assert list(dispatch(Lasting(1, {}), abs, [7], attempts=3)) == [Failed(7, "no texts", 1)]


def test_back_pressure() -> None:
    drawn = []

    def units() -> Iterator[int]:
        for number in range(1000):
            drawn.append(number)
            yield number

    pool = FakePool(3, {})
    outcomes = dispatch(pool, abs, units(), attempts=1)
    for _ in range(10):
        next(outcomes)
    assert len(drawn) <= 10 + 3
    assert pool.most == 3


def test_no_units() -> None:
    assert list(dispatch(FakePool(2, {}), abs, [], attempts=1)) == []


def test_unknown_executor() -> None:
    with pytest.raises(InputError, match="unknown executor 'spark'; allowed: local, ray"):
        open_executor("spark")
    with pytest.raises(InputError, match="workers=0"):
        open_executor("local", workers=0)
    with pytest.raises(InputError, match=r"address '10\.0\.0\.5:6379' is of a Ray cluster"):
        open_executor("local", address="10.0.0.5:6379")
