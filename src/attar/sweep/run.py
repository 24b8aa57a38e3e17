"""sweep: all models and templates of a grid, one after the other, into the folder of a run."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attar import shapers
from attar._version import __version__
from attar.checkpoints.default import NAME as DEFAULT
from attar.errors import InputError
from attar.io.atomic import check_own_folder, make_own_folder, new_file
from attar.io.locks import exclusive
from attar.recipe.text import NONE
from attar.shapers.chain import check_widths
from attar.sweep.background import Background
from attar.sweep.grid import Grid, layer_sets, takes_average
from attar.sweep.one_pass import SweepContext, SweptModel, run_pass
from attar.sweep.store import FILE, Store
from attar.sweep.subjects import load_subjects

log = logging.getLogger("attar")
CACHE, ABOUT, LOCK = "cache", "run.json", "lock"
KIND = "the folder of a sweep"


@dataclass(frozen=True)
class Settings:
    """Where a sweep finds its data, and how it works.

    Parameters
    ----------
    data : Path, optional
        The folder that holds the tasks.
    background : Path, optional
        The background corpus, one text per line.
    sentences : bool
        Lines of the background are paragraphs: split them into sentences.
    keep : bool
        Keep the pooled vectors for later sweeps.
    jobs : int, optional
        Threads that score; None for one per processor.
    block_texts : int
        Texts that are pooled and written at once.
    progress : bool
        Show progress bars on a terminal.
    """

    data: Path | None = None
    background: Path | None = None
    sentences: bool = False  # lines of the background are paragraphs: split them
    keep: bool = False  # the pooled vectors, for later sweeps
    jobs: int | None = None  # threads that score; None: as many as there are processors
    block_texts: int = 1024  # pooled and written at once
    progress: bool = True


@dataclass(frozen=True)
class SweepOutcome:
    """What a sweep has done: the cells that were asked for, by id, and how many of them were computed now."""

    asked: frozenset[str]
    n_computed: int


def sweep(grid: Grid, run: Path, settings: Settings = Settings()) -> int:  # noqa: B008 (frozen)
    """Compute the cells that a run does not have yet.

    Parameters
    ----------
    grid : Grid
        What to score.
    run : Path
        The folder of the run; it is made, or continued if it exists.
    settings : Settings
        Where the data is and how to work.

    Returns
    -------
    int
        How many cells were computed.

    Raises
    ------
    InputError
        If the grid does not fit a model, or a corpus or task is missing.
    OutputError
        If the folder can't be written or another process writes to it.
    """
    return run_sweep(grid, run, settings).n_computed


def run_sweep(grid: Grid, run: Path, settings: Settings) -> SweepOutcome:
    """The same, with the cells that were asked for."""
    check_own_folder(run, is_run, KIND)
    opened = [SweptModel.open(model, grid.precision) for model in grid.models]
    models = [model.pooled(pooling) for model in opened for pooling in grid.poolings]
    for model in models:
        check_fits(grid, model)
    check_names(models)
    check_cells(grid, models)
    background = Background.read(settings.background, grid, split=settings.sentences)
    subjects = load_subjects(grid.tasks, settings.data, grid.rows, background.embedded)
    make_own_folder(run, is_run, KIND)
    with exclusive(run / LOCK):
        _describe(run, settings)
        with Store(run / FILE) as store:
            context = SweepContext(
                grid,
                subjects,
                background,
                store,
                run / CACHE,
                settings.block_texts,
                settings.keep,
                settings.jobs,
                settings.progress,
            )
            passed = [run_pass(context, model, template) for model in models for template in grid.templates]
        if not settings.keep:
            shutil.rmtree(run / CACHE, ignore_errors=True)
    return SweepOutcome(frozenset(cell for asked, _ in passed for cell in asked), sum(n for _, n in passed))


def is_run(names: Sequence[str]) -> bool:
    """Whether a folder that holds these names is a run, perhaps one that was stopped before it had any cell."""
    return {FILE, ABOUT} <= set(names) or set(names) <= {CACHE, ABOUT, LOCK, FILE}


def check_fits(grid: Grid, model: SweptModel) -> None:
    """The model is there and has the layers and dims that are asked of it, before anything starts."""
    for part in grid.parts:
        try:
            sets = layer_sets(part.layers, model.encoder)
            widest = max(
                model.encoder.width(layers[0]) for layers in sets
            )  # cells of narrower layers say why they fail
            for chain in part.shapes:
                check_widths(shapers.parse(",".join(chain)), widest)
        except InputError as error:
            raise InputError(f"the grid does not fit the model {model.source or model.name!r}: {error}") from None


def check_cells(grid: Grid, models: Sequence[SweptModel]) -> None:
    """Tell which models have no cells with Avg., and refuse a grid of which nothing is left."""
    for model in models:
        if grid.mixes and not takes_average(model.encoder):
            why = "it goes with weighted means alone" if model.encoder.contextual else "this model has no context"
            log.info("%s: cells with Avg. (a mix other than 0) are left out, since %s", model.name, why)
    possible = [(model.encoder, t) for model in models for t in grid.templates if t == NONE or model.encoder.contextual]
    if not any(True for encoder, template in possible for part in grid.parts for _ in part.recipes(template, encoder)):
        raise InputError(
            "nothing is left of the grid: templates are for models with context, and a mix other than 0 for those that "
            'pool by the mean; add "none" to templates or 0 to mix'
        )


def check_names(models: Sequence[SweptModel]) -> None:
    """Cells go by the last part of a model's path: two models must not share it."""
    found: dict[str, SweptModel] = {}
    for model in models:
        other = found.setdefault(model.name, model)
        if other.source != model.source and other.sha256 != model.sha256:
            raise InputError(
                f"the models {other.source or DEFAULT!r} and {model.source or DEFAULT!r} would both be called "
                f"{model.name!r}: rename a folder, or give each a run of its own"
            )


def _describe(run: Path, settings: Settings) -> None:
    """Where the texts were, for `attar best --save`."""
    about = {
        "attar": __version__,
        "data": None if settings.data is None else str(settings.data.resolve()),
        "background": None if settings.background is None else str(settings.background.resolve()),
        "sentences": settings.sentences,
    }
    with new_file(run / ABOUT) as aside:
        aside.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
