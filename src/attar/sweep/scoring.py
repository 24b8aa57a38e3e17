"""From pooled vectors to scores: mixing, shaping and scoring are linear algebra on what the pass has left."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import Any

from threadpoolctl import threadpool_limits

from attar import shapers
from attar._version import __version__
from attar.errors import AttarError
from attar.io.progress import bar
from attar.shapers.chain import Evidence, fit_chain
from attar.sweep.cells import Cell, shapes_background
from attar.sweep.plan import BACKGROUND
from attar.sweep.pooled import PooledBlocks
from attar.sweep.store import CellRow, Store


@dataclass(frozen=True)
class Origin:
    """What all cells of one pass have in common."""

    model: str
    source: str | None  # what opens the model; None: the embedded default
    model_sha256: str
    template: str
    runs: int
    details: Mapping[str, Any]


def score_cells(
    cells: Iterable[Cell],
    pooled: PooledBlocks,
    origin: Origin,
    store: Store,
    jobs: int | None = None,
    progress: bool = True,
) -> None:
    """Score and store every cell, in threads. One BLAS thread each, so that numbers don't depend on their number."""
    groups: dict[tuple[str, str, tuple[int, ...], float], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[cell.subject.name, cell.recipe.weights.text, cell.layers, cell.recipe.mix].append(cell)
    n = sum(map(len, groups.values()))
    with threadpool_limits(1), bar(n, "cells", progress) as advance:
        pool = ThreadPoolExecutor(jobs or os.cpu_count() or 1)
        try:
            largest_first = sorted(groups.values(), key=lambda group: -len(group) * len(group[0].subject.texts))
            waiting = [pool.submit(_score_group, group, pooled, origin, store) for group in largest_first]
            for done in as_completed(waiting):
                advance(done.result())
        finally:
            pool.shutdown(cancel_futures=True)


def _score_group(cells: Sequence[Cell], pooled: PooledBlocks, origin: Origin, store: Store) -> int:
    """Cells that differ only in their shapers: they share vectors."""
    subject, recipe = cells[0].subject, cells[0].recipe
    how = (subject.name, recipe.weights.text, cells[0].layers, recipe.mix)
    target = pooled.vectors(subject.name, *how)
    rows = pooled.distinct(subject.name)[1]
    evidence = {"target": Evidence(target, rows)}
    if any(shapes_background(cell.recipe.shape) for cell in cells):
        seen = pooled.vectors(BACKGROUND, *how)
        evidence["background"] = Evidence(seen[pooled.distinct(BACKGROUND)[1]])
    for cell in cells:
        started = time.perf_counter()
        try:
            chain = shapers.parse(cell.recipe.shape)
            shaped = fit_chain(chain, evidence)["target"].vectors
            assert shaped is not None
            found: Mapping[str, Any] = subject.score(shaped[rows], origin.runs)
        except AttarError as error:
            found = {"metric": "", "score": None, "error": " ".join(str(error).split())}
        store.add(_scored(planned_row(cell, origin), found, target.shape[1], time.perf_counter() - started))
    return len(cells)


def planned_row(cell: Cell, origin: Origin) -> CellRow:
    """A cell as it is stored, before it has a score."""
    recipe, subject = cell.recipe.opened_by(origin.source), cell.subject
    details = {**origin.details, "source": subject.source, "sampled_from": subject.sampled_from, "rows": subject.rows}
    if subject.family == "clustering":
        details["runs"] = origin.runs
    return CellRow(
        cell=cell.id,
        task=subject.name,
        model=origin.model,
        template=origin.template,
        layers="+".join(map(str, cell.layers)),
        weights=recipe.weights.text,
        shape=recipe.shape,
        mix=recipe.mix,
        family=subject.family,
        metric="",
        texts=len(subject.texts),
        score=None,
        low=None,
        high=None,
        error=None,
        recipe=json.dumps(recipe.to_json(), sort_keys=True),
        details=json.dumps(details, sort_keys=True),
        attar=__version__,
        model_sha256=origin.model_sha256,
        seconds=0.0,
    )


def _scored(row: CellRow, found: Mapping[str, Any], dims: int, seconds: float) -> CellRow:
    return replace(
        row,
        metric=str(found["metric"]),
        score=_plain(found["score"]),
        low=_plain(found.get("low")),
        high=_plain(found.get("high")),
        error=found.get("error"),
        details=json.dumps({**json.loads(row.details), "dims": dims, **_draws(found)}, sort_keys=True),
        seconds=seconds,
    )


def _draws(found: Mapping[str, Any]) -> dict[str, list[float]]:
    """The score on resamples of rows, to five decimals; nothing where a subject has none."""
    return {"draws": [round(draw, 5) for draw in found["draws"]]} if "draws" in found else {}


def _plain(value: Any) -> float | None:
    return None if value is None else float(value)
