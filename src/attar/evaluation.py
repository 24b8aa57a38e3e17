"""One embedder on one task: fitted on the task's texts where it has to learn, scored, and set beside the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sklearn.base import clone

from attar import scores, shapers
from attar.embedder import Embedder
from attar.tasks import Task, published
from attar.tokens.templates import Template


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
    """Score an embedder; one that is not fitted yet learns from the task's own texts, and stays unfitted."""
    if embedder.needs_fit and not hasattr(embedder, "weights_"):
        vectors = clone(embedder).fit_transform(task.texts, background=background)
    else:
        vectors = embedder.encode(task.texts)
    found = scores.score(vectors, task)
    score, low, high = (round(100 * float(cast(float, found[key])), 3) for key in ("score", "low", "high"))
    return Result(task.name, str(found["metric"]), score, low, high, published_score(embedder, task.name))


def published_score(embedder: Embedder, task: str) -> float | None:
    """The paper's figure for this task by this very method, where it printed one."""
    model = _published_model(embedder)
    if model is None or task not in {row.task for row in published.rows()}:
        return None
    recipe = embedder.recipe
    aggregation = {"Mean": "mean", "Debiased": "debiased", "Mask": "mask"}.get(recipe.weights.name)
    if recipe.weights.name == "Idf":
        aggregation = f"idf-{recipe.weights.params['on']}"
    shape = shapers.text(shapers.of(embedder.shapers))
    if aggregation is None or shape not in published.POSTPROCESSES.values() or recipe.weights.params.get("specials"):
        return None
    return published.score(task, model, aggregation, shape)


def _published_model(embedder: Embedder) -> str | None:
    """The paper's name for the encoder and layers: RE, BERT (first + last), T0 and T4 (last), Avg, BERT+Avg."""
    recipe = embedder.recipe
    kind, layers = recipe.encoder["type"], [layer for layer, _ in recipe.layers]
    if kind == "random":
        return "RE" if embedder.encoder_.width(embedder.encoder_.n_layers) == 768 else None
    if kind == "mix":
        return "BERT+Avg" if recipe.encoder.get("w") == 0.5 and _is_bert(recipe.encoder.get("a", {})) else None
    if kind != "transformer" or not _is_bert(recipe.encoder):
        return None
    template = recipe.encoder.get("template")
    if template is not None:
        name = Template(template).name
        return name if name in ("T0", "T4") and layers in (["last"], [12]) else None
    return "BERT" if layers in (["first", "last"], [1, 12]) else None


def _is_bert(spec: object) -> bool:
    return isinstance(spec, dict) and str(spec.get("model", "")).rstrip("/").endswith("bert-base-uncased")
