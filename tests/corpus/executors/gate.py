"""A gate in the middle of embedding a shard, so that a test can kill whoever stands there, as often as it likes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attar.corpus.embedding import EmbedShard
from attar.corpus.executors import Executor, Outcome
from attar.corpus.inputs.shards import Shard
from attar.corpus.recipe_source import RecipeSource


@dataclass(frozen=True)
class Gate:
    """A folder: `limit` says up to which shard all may pass; others write down their process and wait."""

    folder: str

    def open_to(self, shard: int) -> None:
        aside = Path(self.folder, "aside")
        aside.write_text(str(shard))
        aside.rename(Path(self.folder, "limit"))

    def wait(self, shard: str) -> None:
        here = Path(self.folder, f"{shard}.{os.getpid()}")
        here.touch()
        while int(shard.removeprefix("part-")) >= int(Path(self.folder, "limit").read_text()):
            time.sleep(0.02)
        here.unlink()

    def waiting(self) -> list[int]:
        """Processes that stand here, the one with the least shard first."""
        named = sorted(Path(self.folder).glob("part-*.*"))
        return [pid for pid in (int(path.suffix[1:]) for path in named) if lives(pid)]


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@dataclass(frozen=True)
class _Halting:
    """Stands in for a RecipeSource and its embedder."""

    recipe: RecipeSource
    gate: Gate
    shard: str

    def embedder(self) -> _Halting:
        return self

    def encode(self, texts: list[str]) -> Any:
        return self.recipe.embedder().encode(texts)

    @property
    def counts_(self) -> Any:  # asked for when rows are written but the file is not finished
        self.gate.wait(self.shard)
        return self.recipe.embedder().counts_


@dataclass(frozen=True)
class _GatedWork:
    work: EmbedShard
    gate: Gate

    def __call__(self, unit: Shard) -> str:
        halting: Any = _Halting(self.work.recipe, self.gate, unit.name)
        return replace(self.work, recipe=halting)(unit)


@dataclass(frozen=True)
class Gated:
    """An executor whose embedding goes through the gate."""

    executor: Executor
    gate: Gate

    def map(self, work: Callable[[Any], Any], units: Iterable[Any]) -> Iterator[Outcome[Any, Any]]:
        return self.executor.map(_GatedWork(work, self.gate) if isinstance(work, EmbedShard) else work, units)
