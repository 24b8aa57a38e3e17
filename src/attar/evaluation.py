"""One embedder on one task: fitted on the task's texts where it has to learn, scored, and set beside the paper."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from sklearn.base import clone

from attar import scores
from attar.embedder import Embedder
from attar.enough import too_few
from attar.errors import InputError
from attar.matched import match
from attar.pipeline import Corpora, Pipeline, check_corpora, fit_pipeline, new_shapers, new_weights
from attar.shapers.chain import Evidence, corpus_of, fit_chain, learns, shape
from attar.tasks import Task, published
from attar.tasks.types import StsTask
from attar.types import Floats

log = logging.getLogger("attar")


@dataclass(frozen=True)
class Result:
    """A score from 0 to 100, its 95 % interval, and what the paper printed for the same method, if it did.

    Where the recipe has shapers: the score without them, and the 95 % interval of what they gain on the same rows.
    """

    task: str
    metric: str
    score: float
    low: float
    high: float
    published: float | None
    unshaped: float | None = None
    gain_low: float | None = None
    gain_high: float | None = None

    @property
    def warning(self) -> str | None:
        """The sentence that says that shaping hurts here; None where it does not surely hurt."""
        if self.unshaped is None or self.gain_low is None or self.gain_high is None or self.gain_high >= 0:
            return None
        return (
            f"{self.task}: the shapers cost {self.unshaped - self.score:.1f} here ({-self.gain_high:.1f} to "
            f"{-self.gain_low:.1f}); without them (--shape none) the recipe reaches {self.unshaped:.1f}"
        )


def evaluate(
    embedder: Embedder, task: Task, background: Sequence[str] | None = None, *, ranking: bool = False
) -> Result:
    """Score an embedder on a task.

    Parameters
    ----------
    embedder : Embedder
        One that is not fitted yet learns from the task's own texts, and stays unfitted.
    task : Task
        What to score it on.
    background : sequence of str, optional
        The corpus for parts that learn from a background corpus.
    ranking : bool
        Score pairs as EvalRank does, by the mean reciprocal rank of partners, instead of by correlation.

    Returns
    -------
    Result
        The score from 0 to 100, its 95 % interval, what the paper printed for the same method, and what shapers do.

    Raises
    ------
    InputError
        If ranks are asked of a task that has no pairs with scores.
    """
    if ranking and not isinstance(task, StsTask):
        raise InputError(f"ranks are of pairs with scores; {task.name} is a task of {task.family}: leave out --rank")
    measure = _ranked if ranking else scores.score
    vectors, unshaped = _vectors(embedder, task, background)
    found = measure(vectors, task)
    known = published.beside(embedder.recipe, task.name, len(task.texts), embedder.encoder_.n_layers)
    printed = None if ranking else known
    score, low, high = (_percent(found[key]) for key in ("score", "low", "high"))
    result = Result(task.name, str(found["metric"]), score, low, high, printed)
    if unshaped is None:
        return result
    bare = measure(unshaped, task)
    reached, before = (cast(float, one["score"]) for one in (found, bare))
    gain = scores.difference(reached, cast(Any, found["draws"]), before, cast(Any, bare["draws"]))
    shaping = (_percent(before), _percent(gain.low), _percent(gain.high))
    return Result(task.name, str(found["metric"]), score, low, high, printed, *shaping)


def evaluate_matching(embedder: Embedder, task: Task, matching: str, background: Sequence[str] | None = None) -> Result:
    """Score pairs by matching their tokens, without a vector of either text.

    Parameters
    ----------
    embedder : Embedder
        Its encoder, layers and weights are used; it must have no shapers.
    task : Task
        Pairs with scores.
    matching : str
        "bertscore", "wmd" or "wrd".
    background : sequence of str, optional
        The corpus for weights that learn from a background corpus.

    Returns
    -------
    Result
        The Spearman correlation from 0 to 100 and its 95 % interval.

    Raises
    ------
    InputError
        If the task has no pairs with scores, or the embedder has shapers.
    """
    found = match(embedder, task, matching, background=background, progress=True)
    score, low, high = (_percent(value) for value in (found["spearman"], found["low"], found["high"]))
    return Result(task.name, matching, score, low, high, None)


def _vectors(embedder: Embedder, task: Task, background: Sequence[str] | None) -> tuple[Floats, Floats | None]:
    """The vectors of the task's texts behind the shapers and, where there are any, before them, from one pass."""
    fresh = embedder.needs_fit and not hasattr(embedder, "weights_")
    if not new_shapers(embedder.shapers):
        if fresh:
            return clone(embedder).fit_transform(task.texts, background=background), None
        return embedder.encode(task.texts), None
    corpora: Corpora = {"target": task.texts} | ({} if background is None else {"background": background})
    if fresh:
        return _fitted(embedder, corpora)
    embedder.encode([])  # prepares what learns nothing
    embedded = Pipeline(embedder.encoder_, embedder.weights_, embedder.layers).embed(task.texts)
    embedded.counts.report()
    return shape(embedder.shapers_, embedded.vectors)[embedded.rows], embedded.vectors[embedded.rows]


def _fitted(embedder: Embedder, corpora: Corpora) -> tuple[Floats, Floats]:
    weights, chain = new_weights(embedder.weights), new_shapers(embedder.shapers)
    check_corpora((weights, *chain), corpora)
    pipeline = Pipeline(embedder.encoder_, weights, embedder.layers)
    wanted = {"target"} | {corpus_of(shaper) for shaper in chain if learns(shaper)}
    embedded = fit_pipeline(pipeline, corpora, wanted=sorted(wanted))
    sentence = too_few((weights, *chain), corpora, pipeline.width)
    if sentence is not None:
        log.warning("%s", sentence)
    embedded["target"].counts.report()
    shaped = fit_chain(chain, {name: Evidence(found.vectors, found.rows) for name, found in embedded.items()})
    vectors, rows = shaped["target"].vectors, embedded["target"].rows
    assert vectors is not None
    return vectors[rows], embedded["target"].vectors[rows]


def _ranked(vectors: Floats, task: Task) -> dict[str, object]:
    assert isinstance(task, StsTask)
    found = scores.rank(vectors, task)
    return {"metric": "mrr", "score": found["mrr"], **found}


def _percent(value: object) -> float:
    return round(100 * float(cast(float, value)), 3)
