"""An executor for tests: works at once, in this process, once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attar.corpus.executors import Done, Failed


class Inline:
    """`fail`: names of units that it gives up on. `seen`: the units that it was given."""

    def __init__(self, fail: Iterable[str] = ()) -> None:
        self.fail = set(fail)
        self.seen: list[Any] = []

    def map(self, work: Callable[[Any], Any], units: Iterable[Any]) -> Iterator[Any]:
        for unit in units:
            self.seen.append(unit)
            if getattr(unit, "name", None) in self.fail:
                yield Failed(unit, "RuntimeError: told to fail", 4)
                continue
            try:
                yield Done(unit, work(unit))
            except Exception as error:
                yield Failed(unit, f"{type(error).__name__}: {error}", 1)

    def close(self) -> None:
        pass
