"""Work, importable by workers, that leaves a worker with its model loaded."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from attar.corpus.executors import Done, Executor
from attar.corpus.recipe_source import RecipeSource


@dataclass(frozen=True)
class WarmUp:
    """Holds its worker for a moment, so that the next unit goes to another one."""

    recipe: RecipeSource

    def __call__(self, _: int) -> int:
        self.recipe.embedder().encode(["warm"])
        time.sleep(1)
        return os.getpid()


def warm_up(executor: Executor, recipe: RecipeSource, workers: int) -> None:
    seen: set[int] = set()
    for _ in range(20):
        seen |= {one.result for one in executor.map(WarmUp(recipe), range(workers)) if isinstance(one, Done)}
        if len(seen) >= workers:
            return
    raise RuntimeError(f"only the workers {sorted(seen)} came up; {workers} were asked for")
