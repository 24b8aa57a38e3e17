"""One embedder on one task: fitted on the task's texts where it has to learn, scored, and set beside the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sklearn.base import clone

from attar import scores
from attar.embedder import Embedder
from attar.tasks import Task, published


@dataclass(frozen=True)
class Result:
    """A score from 0 to 100, its 95 % interval, and what the paper printed for the same method, if it did."""

    task: str
    metric: str
    score: float
    low: float
    high: float
    published: float | None


def evaluate(embedder: Embedder, task: Task, background: Sequence[str] | None = None) -> Result:
    """Score an embedder on a task.

    Parameters
    ----------
    embedder : Embedder
        One that is not fitted yet learns from the task's own texts, and stays unfitted.
    task : Task
        What to score it on.
    background : sequence of str, optional
        The corpus for parts that learn from a background corpus.

    Returns
    -------
    Result
        The score from 0 to 100, its 95 % interval, and what the paper printed for the same method.
    """
    if embedder.needs_fit and not hasattr(embedder, "weights_"):
        vectors = clone(embedder).fit_transform(task.texts, background=background)
    else:
        vectors = embedder.encode(task.texts)
    found = scores.score(vectors, task)
    score, low, high = (round(100 * float(cast(float, found[key])), 3) for key in ("score", "low", "high"))
    printed = published.beside(embedder.recipe, task.name, embedder.encoder_.n_layers)
    return Result(task.name, str(found["metric"]), score, low, high, printed)
