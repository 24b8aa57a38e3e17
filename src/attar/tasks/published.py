"""The scores the paper printed, under our names.

The tables name the wrong corpus in two rows: what is printed idf-W (Wikitext-2) is the idf of the target task, and
what is printed idf-T (target) is the idf of Wikitext-2. Both the printed label and the true meaning are kept.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from attar.errors import unknown_name
from attar.recipe import Recipe
from attar.tasks.catalogue import PAPER
from attar.tasks.declaration import FAMILIES
from attar.tasks.names import declaration

MODELS = ("T0", "T4", "BERT", "BERT+Avg", "Avg", "B2S", "B2S-100", "RE")

# printed: true
AGGREGATIONS = {
    "avg": "mean",
    "idf-W": "idf-target",
    "idf-T": "idf-background",
    "-biases": "debiased",
    "mask": "mask",
}
_OF_WEIGHTS = {  # by the text form of token weights
    "mean": "mean",
    "idf": "idf-target",
    "idf@background": "idf-background",
    "debiased": "debiased",
    "mask": "mask",
}
_OF_MIX = {0.0: "BERT", 0.5: "BERT+Avg", 1.0: "Avg"}
POSTPROCESSES = {
    "none": "none",
    "zscore": "zscore",
    "quantile-u": "quantile",
    "quantile-u-W": "quantile@background",
    "normalize": "unit",
    "whiten": "whiten",
    "whiten-W": "whiten@background",
    "abtt-2": "abtt:2",
}


@dataclass(frozen=True)
class PublishedScore:
    """One printed number, from 0 to 100."""

    table: str  # "2", "3", or "A" for the appendix
    family: str
    task: str  # "average" for the mean over the family
    model: str
    aggregation: str
    postprocess: str
    score: float
    printed_aggregation: str
    printed_postprocess: str


@cache
def rows() -> tuple[PublishedScore, ...]:
    """All 3,614, in the order of the tables; tables 2 and 3 share 16 averages, which stand twice."""
    text = files("attar").joinpath("resources/published.csv").read_text(encoding="utf-8")
    return tuple(
        PublishedScore(
            table=line["table"],
            family=line["family"],
            task=line["task"],
            model=model,
            aggregation=AGGREGATIONS[line["aggregation"]],
            postprocess=POSTPROCESSES[line["postprocess"]],
            score=float(line[model]),
            printed_aggregation=line["aggregation"],
            printed_postprocess=line["postprocess"],
        )
        for line in csv.DictReader(text.splitlines())
        for model in MODELS
        if line[model]
    )


def score(task: str, model: str, aggregation: str = "mean", postprocess: str = "none") -> float | None:
    """The printed score of a task, or of a family's average ("sts", "clustering", "classification").

    None where the paper has no such cell.
    """
    for kind, given, allowed in (
        ("published model", model, MODELS),
        ("published aggregation", aggregation, tuple(AGGREGATIONS.values())),
        ("published post-processing", postprocess, tuple(POSTPROCESSES.values())),
    ):
        if given not in allowed:
            raise unknown_name(kind, given, allowed)
    name = task if task in FAMILIES else declaration(task).name
    return _by_cell().get((name, model, aggregation, postprocess))


def beside(recipe: Recipe, task: str, n_texts: int, last_layer: int) -> float | None:
    """What the paper printed for this very task, model and method, the one place where that is decided.

    The paper's own models are BERT base uncased (first + last layer; the last alone with T0 and T4), half and half with
    its Avg., Avg. alone, and random vectors of 768 dims. Anything else has no published figure.

    Parameters
    ----------
    recipe
        What was scored; its model counts by the last part of its name.
    task
        A task's name.
    n_texts
        How many texts were scored; pairs have two each.
    last_layer
        The number of the model's last layer.

    Returns
    -------
    float or None
        From 0 to 100; None where the paper has no such cell.
    """
    column, aggregation = _column(recipe, last_layer), _OF_WEIGHTS.get(recipe.weights.text)
    if (
        recipe.wrapping is not None
        or column is None
        or aggregation is None
        or recipe.shape not in POSTPROCESSES.values()
        or _sizes().get(task) != n_texts
    ):
        return None
    return _by_cell().get((task, column, aggregation, recipe.shape))


def _column(recipe: Recipe, last_layer: int) -> str | None:
    if recipe.encoder.get("type") == "random":
        return "RE" if recipe.encoder.get("dims") == 768 else None
    if not is_paper_model(recipe.model):
        return None
    places = {"first": min(1, last_layer), "last": last_layer}
    layers = {places.get(str(layer), layer) for layer, _ in recipe.layers}
    if recipe.template is not None:
        alone = recipe.mix == 0 and layers == {last_layer}
        return recipe.template.name if alone and recipe.template.name in MODELS else None
    return _OF_MIX.get(recipe.mix) if layers == {1, last_layer} else None


def is_paper_model(name: str) -> bool:
    """Whether a model goes by the name of the one that the paper measured."""
    return name.rstrip("/").rpartition("/")[2] == "bert-base-uncased"


@cache
def _sizes() -> dict[str, int]:
    """How many texts each task has whose scores are printed one by one."""
    printed = frozenset(row.task for row in rows())
    return {task.name: task.scored_texts for task in PAPER if task.name in printed}


@cache
def _by_cell() -> dict[tuple[str, str, str, str], float]:
    return {
        (row.family if row.task == "average" else row.task, row.model, row.aggregation, row.postprocess): row.score
        for row in rows()
    }
