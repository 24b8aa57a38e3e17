"""A progress bar on stderr, shown only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

Advance = Callable[[int], object]  # called with the number of newly finished items


def nothing(n: int) -> None:
    """Shows nothing."""


def is_watched() -> bool:
    """Whether stderr is a terminal; it may have been closed."""
    return sys.stderr is not None and sys.stderr.isatty()


def bar(total: int | None, unit: str, wanted: bool = True) -> AbstractContextManager[Advance]:
    """Gives a function that moves the bar on; shows nothing unless wanted and stderr is a terminal."""
    return _shown(total, unit) if wanted and is_watched() else nullcontext(nothing)


@contextmanager
def _shown(total: int | None, unit: str) -> Iterator[Advance]:
    from tqdm import tqdm

    with tqdm(total=total, unit=f" {unit}", unit_scale=True, file=sys.stderr, dynamic_ncols=True, leave=False) as shown:
        yield shown.update
