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


@cache
def _by_cell() -> dict[tuple[str, str, str, str], float]:
    return {
        (row.family if row.task == "average" else row.task, row.model, row.aggregation, row.postprocess): row.score
        for row in rows()
    }
