"""One model with one template: find the missing cells, pass their texts once, score them."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from attar import weights
from attar.checkpoints import default
from attar.encoders.opening import open_encoder
from attar.encoders.pooled import Pooled
from attar.encoders.table import Table
from attar.pipeline import fit_weights
from attar.recipe.text import NONE as NO_TEMPLATE
from attar.sweep.background import Background
from attar.sweep.cell_row import DEFAULT_NAME
from attar.sweep.cells import Cell, cells_of, is_local, shapes_background
from attar.sweep.collect import FittedWeights, collect, group_layers, n_texts_done
from attar.sweep.grid import Grid, template_text
from attar.sweep.meanings import Meanings
from attar.sweep.passes import PassSpec, drop_pass, find_pass, open_pass
from attar.sweep.plan import AVERAGE, MODEL, PassPlan, make_plan
from attar.sweep.pooled import PooledBlocks
from attar.sweep.run_checks import check_comparable
from attar.sweep.same_cells import without_same
from attar.sweep.scoring import Origin, planned_row, score_cells
from attar.sweep.store import Store
from attar.sweep.subjects import Subject
from attar.types import Encoder

log = logging.getLogger("attar")


@dataclass(frozen=True)
class SweptModel:
    """A model of a sweep, opened once for all templates."""

    name: str  # what cells and reports call it
    source: str | None  # what the user called it; None: the embedded default
    encoder: Encoder
    precision: str | None = None  # what it computes in, where that is not float32
    by_amount: bool = True  # whether it matters how much a token counts, not only which ones do

    @classmethod
    def open(cls, source: str | None, precision: str | None = None) -> Self:
        source = None if source == default.NAME else source
        name = DEFAULT_NAME if source is None else source.rstrip("/").rpartition("/")[2] or source
        encoder = open_encoder(source)
        if precision in (None, "float32") or not encoder.contextual:  # static models compute no forward pass
            return cls(name, source, encoder)
        return cls(f"{name} {precision}", source, encoder.configured(precision=precision), precision)

    def pooled(self, pooling: str) -> SweptModel:
        """The same model with another pooling, under a name of its own; itself for the mean."""
        if pooling == "mean":
            return self
        made = Pooled(self.encoder, pooling)
        by_amount = any(pooling.by_amount for pooling in made.poolings)
        return SweptModel(f"{self.name} {made.pooling}", self.source, made, self.precision, by_amount)

    @property
    def sha256(self) -> str:
        """The fingerprint of its token vectors; where there is none, of its description."""
        spec = json.dumps(self.encoder.spec(), sort_keys=True)
        return self.encoder.fingerprint or hashlib.sha256(spec.encode()).hexdigest()

    @property
    def key(self) -> str:
        """What pooled vectors and cells are known by: the fingerprint, and the precision where it is not float32."""
        return self.sha256 if self.precision is None else f"{self.sha256} {self.precision}"


@dataclass(frozen=True)
class SweepContext:
    """What all passes of a sweep share."""

    grid: Grid
    subjects: Mapping[str, tuple[Subject, ...]]
    background: Background
    store: Store
    cache: Path
    block_texts: int
    keep: bool
    jobs: int | None
    progress: bool

    @property
    def by_name(self) -> dict[str, Subject]:
        return {subject.name: subject for members in self.subjects.values() for subject in members}


def run_pass(context: SweepContext, model: SweptModel, template: str) -> tuple[frozenset[str], int]:
    """Compute the cells that are missing; returns the ids of all that were asked for, and how many were missing."""
    if template != NO_TEMPLATE and not model.encoder.contextual:
        log.info("%s: template %s is left out, since its vectors do not depend on context", model.name, template)
        return frozenset(), 0
    encoder = model.encoder.with_template(None if template == NO_TEMPLATE else template)
    sha256 = model.sha256
    corpora = context.background.corpora
    cells = cells_of(context.grid, template, encoder, model.key, context.subjects, corpora)
    if not model.by_amount:
        cells = without_same(cells, encoder, context.background, f"{model.name}, template {template}")
    done = context.store.done()
    missing = [cell for cell in cells.values() if cell.id not in done]
    name = model.name
    if not missing:
        log.info("%s, template %s: all %s cells are there", name, template, f"{len(cells):,}")
        return frozenset(cells), 0
    details = {
        "background_texts": len(context.background.embedded),
        "average_texts": len(context.background.averaged),
        **Meanings.of(encoder).details,
    }
    origin = Origin(name, model.source, sha256, template, context.grid.runs, details)
    check_comparable([*context.store.scored(), *(planned_row(cell, origin) for cell in missing)])
    known = {subject.name: subject.fingerprint for subject in context.by_name.values()}
    spec = find_pass(context.cache, _needed(missing, context, model.key, template, known), known)
    folder = open_pass(context.cache, spec)
    plan = _plan(spec, context, encoder)
    _announce(name, template, plan, encoder, folder, (len(missing), len(cells)))
    table = _average(context, model.encoder, spec) if spec.average_layers else None
    collect(encoder, plan, _fit(plan, spec, context, encoder), table, folder, context.progress)
    score_cells(missing, PooledBlocks(plan, folder), origin, context.store, context.jobs, context.progress)
    if not context.keep:
        drop_pass(folder)
    return frozenset(cells), len(missing)


def _needed(
    missing: Sequence[Cell], context: SweepContext, model_key: str, template: str, known: Mapping[str, str]
) -> PassSpec:
    wanted = {cell.subject.name for cell in missing}
    named = sorted({cell.recipe.weights.text for cell in missing})
    corpora = context.background.corpora
    counts = any(weights.parse(name).on == "background" for name in named)
    mixed = [cell for cell in missing if cell.recipe.mix != 0]
    return PassSpec(
        model=model_key,
        template=template_text(template),
        subjects={name: known[name] for name in context.by_name if name in wanted},
        counted=corpora.counted if counts else None,
        embedded=corpora.embedded if any(shapes_background(cell.recipe.shape) for cell in missing) else None,
        averaged=corpora.averaged if mixed else None,
        shared=tuple(name for name in named if not is_local(name)),
        local=tuple(name for name in named if is_local(name)),
        layers=tuple(sorted({layer for cell in missing for layer in cell.layers})),
        average_layers=tuple(sorted({layer for cell in mixed for layer in cell.layers})),
        block_texts=context.block_texts,
    )


def _plan(spec: PassSpec, context: SweepContext, encoder: Encoder) -> PassPlan:
    layers = {MODEL: group_layers(spec.layers, encoder)}
    if spec.average_layers:
        layers[AVERAGE] = group_layers(spec.average_layers, encoder)
    return make_plan(
        [context.by_name[name] for name in spec.subjects],
        context.background.embedded if spec.embedded is not None else (),
        spec.shared,
        spec.local,
        layers,
        spec.block_texts,
    )


def _fit(plan: PassPlan, spec: PassSpec, context: SweepContext, encoder: Encoder) -> FittedWeights:
    corpora = {"background": context.background.counted}
    shared = {name: weights.parse(name) for name in plan.shared}
    for weighting in shared.values():
        fit_weights(weighting, encoder, corpora)
    local = {(subject, name): weights.parse(name) for subject in spec.subjects for name in plan.local}
    for (subject, _), weighting in local.items():
        fit_weights(weighting, encoder, {"target": context.by_name[subject].texts})
    return FittedWeights(shared, local)


def _average(context: SweepContext, plain: Encoder, spec: PassSpec) -> Table:
    """The Avg. table, made once per model and kept with the cache."""
    key = json.dumps([spec.model, spec.averaged, spec.average_layers])
    folder = context.cache / f"average-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if not folder.is_dir():
        texts = context.background.averaged
        log.info("building Avg. from %s sentences", f"{len(texts):,}")
        checkpoint = folder.with_suffix(".sums")
        made = Table.average(plain, texts, spec.average_layers, checkpoint=checkpoint, progress=context.progress)
        made.save(folder)
        checkpoint.unlink(missing_ok=True)
    return Table.load(folder)


def _announce(name: str, template: str, plan: PassPlan, encoder: Encoder, folder: Path, cells: tuple[int, int]) -> None:
    """What is to be done and how much room it takes, before it is done."""
    layers = {layer for groups in plan.layers.values() for group in groups for layer in group}
    widths = {layer: encoder.width(layer) for layer in layers}
    held = n_texts_done(plan, folder)
    there = f", {held:,} of them already" if held else ""
    size = f"{_room(plan.n_bytes(widths))} of pooled vectors"
    if AVERAGE in plan.layers:
        size += f" and {_room(plan.n_table_bytes(len(encoder.vocabulary), widths))} of Avg."
    log.info(
        "%s, template %s: %s distinct texts once through the model%s, %s on disk; then %s of %s cells to score",
        name,
        template,
        f"{len(plan.texts):,}",
        there,
        size,
        *(f"{n:,}" for n in cells),
    )


def _room(n_bytes: int) -> str:
    unit, name = next((u, n) for u, n in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")) if n_bytes >= u or u == 1e3)
    return f"{n_bytes / unit:.1f} {name}"
