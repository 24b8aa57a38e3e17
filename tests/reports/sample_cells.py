"""Cells for tests of reports: made up by a rule, so that every mean can be worked out by hand."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

from attar.sweep.store import FILE, CellRow, Store

TEXTS = {"STS12": 2 * 3108, "STS13": 2 * 1500, "tweet": 2472}  # as many as the paper's, to be shown beside them
TASKS = {"STS12": "sts", "STS13": "sts", "tweet": "clustering", "MR": "classification"}
MEASURES = ("isoscore", "alignment", "uniformity")
WEIGHTS = ("mean", "idf", "mask")
SHAPES = ("none", "zscore", "whiten")


def cell(
    task: str,
    layers: str = "1+3",
    weights: str = "mean",
    shape: str = "none",
    template: str = "none",
    mix: float = 0.0,
    score: float | None = 0.5,
    model: str = "bert-base-uncased",
) -> CellRow:
    family = TASKS.get(task, task if task in MEASURES else "sts")
    name = "|".join((model, task, layers, weights, shape, template, str(mix)))
    return CellRow(
        cell=name,
        task=task,
        model=model,
        template=template,
        layers=layers,
        weights=weights,
        shape=shape,
        mix=mix,
        family=family,
        metric={"sts": "spearman"}.get(family, "accuracy" if family in TASKS.values() else family),
        texts=TEXTS.get(task, 20),
        score=score,
        low=None if score is None else score - 0.1,
        high=None if score is None else score + 0.1,
        error=None if score is not None else "it failed",
        recipe="{}",
        details=json.dumps(
            {
                "average_texts": 9,
                "background_texts": 8,
                "draws": [] if score is None or task in MEASURES else [score, score + 0.01, score - 0.01],
                "runs": 3,
                "sampled_from": 9999,
                "source": task,
            },
            sort_keys=True,
        ),
        attar="0",
        model_sha256="abc",
        seconds=0.25,
    )


def score(task: str, layers: str, weights: str, shape: str, template: str, mix: float) -> float:
    """STS13 is 0.1 above STS12, idf 0.05 above the mean, T0 0.01 above none; Avg. is best at 0.5."""
    base = 0.4 + 0.1 * (task == "STS13") + 0.05 * (weights == "idf") + 0.01 * (template == "T0")
    return base + 0.02 * (shape == "zscore") + 0.001 * layers.count("+") - 0.01 * abs(mix - 0.5)


def sample() -> list[CellRow]:
    rows = []
    for task, template, layers in product((*TASKS, *MEASURES), ("none", "T0"), ("-1", "0", "1", "2", "3", "1+3")):
        for weights, shape in product(WEIGHTS, SHAPES):
            if weights != "mask" or template != "none":
                found = score(task, layers, weights, shape, template, 0.0)
                rows.append(cell(task, layers, weights, shape, template, 0.0, found))
    for task, layers, mix in product(TASKS, ("1", "2", "3", "1+3"), (-0.5, 0.5, 1.0)):
        rows.append(cell(task, layers, mix=mix, score=score(task, layers, "mean", "none", "none", mix)))
    return rows


def write_run(run: Path, rows: list[CellRow]) -> Path:
    run.mkdir()
    with Store(run / FILE) as store:
        for row in rows:
            store.add(row)
    return run
