"""The page: one HTML file with its data, style and script inside; it asks nothing of the network."""

from __future__ import annotations

import hashlib
import html
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from attar._version import __version__
from attar.reports.cells import Cells, Variant
from attar.reports.shown import shown
from attar.reports.tables import SHAPES, WEIGHTS, best_table, shaping_table, template_layers
from attar.tasks import published
from attar.tokens.templates import Template

_INDEXED = ("task", "model", "template", "layers", "weights", "shape")


def page(cells: Cells, title: str = "Sentence vectors, recipe by recipe") -> str:
    """The whole document."""
    parts = {name: _resource(name) for name in ("report.html", "report.css", "charts.js", "sections.js", "report.js")}
    data = json.dumps(page_data(cells), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    script = "\n" + "\n".join(parts[name] for name in ("charts.js", "sections.js", "report.js")) + "\n"
    filled = {
        "title": html.escape(title),
        "style": parts["report.css"],
        "data": data.replace("<", "\\u003c"),  # nothing in it can end or open an element
        "script": script,
        "script_hash": b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    return re.sub(
        r"\{\{(\w+)\}\}", lambda found: filled[found[1]], parts["report.html"]
    )  # one pass: no value is filled


def page_data(cells: Cells) -> dict[str, Any]:
    """Cells as columns of places in lists of names, scores times 100, and what is said about how they were made."""
    rows = cells.scored
    names = {column: _names([getattr(row, column) for row in rows]) for column in _INDEXED}
    columns: dict[str, Any] = {
        column: [names[column].index(getattr(row, column)) for row in rows] for column in _INDEXED
    }
    columns["mix"] = [row.mix for row in rows]
    for name in ("score", "low", "high"):
        columns[name] = [_percent(getattr(row, name)) for row in rows]
    columns["published"] = [cells.published(row) for row in rows]
    best, shaping = best_table(cells), shaping_table(cells)
    return {
        "attar": __version__,
        "names": names,
        "cells": columns,
        "families": {task: next(row.family for row in rows if row.task == task) for task in names["task"]},
        "metrics": {task: next(row.metric for row in rows if row.task == task) for task in names["task"]},
        "lastLayer": cells.last_layer,
        "order": {"weights": WEIGHTS, "shape": SHAPES},
        "classification": _published_classification() if any(map(published.is_paper_model, cells.models)) else {},
        "paperModels": [model for model in cells.models if published.is_paper_model(model)],
        "best": {
            "labels": best.labels,
            "columns": best.columns,
            "rows": [
                [*labels, *(None if v is None else round(v.score, 2) for v in values)] for labels, values in best.rows
            ],
        },
        "shaping": {
            "columns": shaping.columns,
            "rows": [
                [*labels, *(value and round(value.score, 2) for value in values)] for labels, values in shaping.rows
            ],
        },
        "facts": _facts(cells),
        "shown": {model: _shown(cells, model) for model in cells.models},
        "few": {model: _too_few(cells, model) for model in cells.models},
        "templates": {name: Template.parse(name).text for name in names["template"] if name != "none"},
        "failed": Counter(row.error or "no reason given" for row in cells.rows if row.score is None).most_common(),
    }


def _published_classification() -> dict[str, float]:
    """Averages over the paper's classification tasks, which it does not print one by one."""
    found = {}
    for row in published.rows():
        if row.family == "classification" and row.task == "average":
            found["|".join((row.model, row.aggregation, row.postprocess))] = row.score
    return found


def _facts(cells: Cells) -> list[dict[str, Any]]:
    """For each model: what it is and on how much it was scored."""
    found = []
    for model in cells.models:
        mine = [row for row in cells.scored if row.model == model]
        details = [json.loads(row.details) for row in mine]
        by_task = {row.task: (row.texts, json.loads(row.details).get("sampled_from")) for row in mine}
        found.append(
            {
                "model": model,
                "sha256": mine[0].model_sha256 if mine else "",
                "cells": len(mine),
                "variants": sorted({Variant(row.template, row.mix).label for row in mine}),
                "tasks": {task: list(counts) for task, counts in sorted(by_task.items())},
                "runs": sorted({d["runs"] for d in details if "runs" in d}),
                "background": sorted({d["background_texts"] for d in details}),
                "average": sorted({d["average_texts"] for d in details}),
                "attar": sorted({row.attar for row in mine}),
                "minutes": round(sum(row.seconds for row in mine) / 60, 1),
            }
        )
    return found


def _shown(cells: Cells, model: str) -> dict[str, dict[str, Any]]:
    """By task and family: the layers and columns of its table, and what is said of them."""
    found = {}
    for subject in (*cells.families, *(task for family in cells.families for task in cells.tasks(family))):
        choice = shown(cells, model, subject)
        found[subject] = {
            "layers": choice.layers,
            "columns": [[variant.template, variant.mix] for variant in choice.variants],
            "caption": choice.caption,
            "left": choice.left_out(layers=False),  # the page has a filter of layers
            "templates": template_layers(cells, model, subject),
        }
    return found


def _too_few(cells: Cells, model: str) -> dict[str, list[str]]:
    """By task and family: what can't be told of shapers."""
    subjects = sorted({subject for subject, of, _ in cells.few_texts if of == model})
    return {subject: cells.few_texts_told(model, subject) for subject in subjects}


def _names(values: Sequence[str]) -> list[str]:
    return sorted(set(values))


def _percent(value: float | None) -> float | None:
    return None if value is None or value != value else round(100 * value, 4)


def _resource(name: str) -> str:
    return files("attar").joinpath(f"resources/{name}").read_text(encoding="utf-8")
