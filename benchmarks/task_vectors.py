"""MiniLM's plain mean at length 1 for the texts of tasks, kept in a folder so that several benchmarks start from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from attar import tasks
from attar.tasks.types import StsTask, Task


def load(name: str, data: Path, split: str | None = None) -> Task:
    return tasks.load(name, data, split=split) if split else tasks.load(name, data)


def vectors_of(key: str, texts: Sequence[str], cache: Path) -> np.ndarray:
    """Shape: (N, 384)"""
    path = cache / f"{key}.npy"
    if path.exists():
        found: np.ndarray = np.load(path)
        if len(found) == len(texts):
            return found
    from attar import Embedder

    cache.mkdir(exist_ok=True)
    made: np.ndarray = Embedder(shapers="unit").encode(texts)
    np.save(path, made)
    return made


def sample(n: int, most: int) -> np.ndarray:
    """Rows in a random order that is always the same."""
    return np.random.default_rng(0).permutation(n)[:most]


def close_pairs(task: StsTask, least: float) -> np.ndarray:
    """Rows of the pairs that people found this similar, on the task's own scale."""
    return np.flatnonzero(task.scores >= least)
