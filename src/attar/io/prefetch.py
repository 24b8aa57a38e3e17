"""Computing the next item in a thread while the caller works on the current one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def prefetch(make: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[Made]:
    """make(item) for each item, in order: one is made in a thread while the caller works on the one before."""
    left = iter(items)
    ahead = [*islice(left, 2)]
    if len(ahead) < 2:  # nothing to work on meanwhile: a thread would only cost its start
        for item in ahead:
            yield make(item)
        return
    waiting: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(1) as aside:
        for item in chain(ahead, left):
            waiting.append(aside.submit(make, item))
            if len(waiting) > 1:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
