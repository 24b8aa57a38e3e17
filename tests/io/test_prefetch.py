"""The next one is made while the caller works on this one."""

from __future__ import annotations

import threading

import pytest

from attar.io.prefetch import prefetch


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_in_order(n):
    assert list(prefetch(lambda i: i * i, range(n))) == [i * i for i in range(n)]


def test_the_next_is_made_meanwhile():
    made = [threading.Event() for _ in range(3)]

    def make(i: int) -> int:
        made[i].set()
        return i

    for i in prefetch(make, range(3)):
        if i < 2:
            assert made[i + 1].wait(600)  # without the caller asking for it


def test_no_more_than_one_is_made_ahead():
    taken: list[int] = []

    def items():
        for i in range(9):
            taken.append(i)
            yield i

    made = prefetch(lambda i: i, items())
    assert next(made) == 0
    assert taken == [0, 1]


def test_an_error_comes_when_its_turn_comes():
    def make(i: int) -> int:
        if i == 1:
            raise ValueError("item 1")
        return i

    made = prefetch(make, range(3))
    assert next(made) == 0
    with pytest.raises(ValueError, match="item 1"):
        next(made)
