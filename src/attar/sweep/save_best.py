"""Save the best recipe of a run, fitted on the texts of the task or family that it is best for, as the run did."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attar.embedder import Embedder
from attar.errors import InputError
from attar.io.foreign import read_json_object
from attar.pipeline import Pipeline, fit_pipeline, new_shapers, new_weights
from attar.recipe import FittedOn
from attar.shapers.chain import learns
from attar.sweep.background import some
from attar.sweep.best import Best
from attar.sweep.run import ABOUT
from attar.sweep.sampling import sample_task
from attar.sweep.store import CellRow
from attar.tasks import load
from attar.tokens.sentences import read_corpus


@dataclass(frozen=True)
class Sources:
    """Where a run had its texts from."""

    data: Path | None
    background: Path | None
    sentences: bool

    @classmethod
    def of_run(cls, run: Path, data: Path | None = None) -> Sources:
        """What the run says; `data` replaces its folder of tasks, where they have moved."""
        about = read_json_object(run / ABOUT)
        for name in ("data", "background"):
            if not isinstance(about.get(name), (str, type(None))):
                raise InputError(f"{run / ABOUT} is damaged: {name} is {about[name]!r}, not a path")
        found = {name: None if about.get(name) is None else Path(about[name]) for name in ("data", "background")}
        # Version 0.1 always split the background into sentences and did not say so.
        return cls(data or found["data"], found["background"], about.get("sentences", True) is not False)

    def corpus(self) -> tuple[str, ...]:
        """The texts of the background corpus."""
        if self.background is None:
            raise InputError("this recipe learns from the run's background corpus, and the run names none")
        return tuple(read_corpus(self.background, split=self.sentences))


def save_best(best: Best, rows: list[CellRow], sources: Sources, folder: Path, *, overwrite: bool = False) -> Embedder:
    """Write a recipe folder; what has to learn learns from the same texts as in the run.

    For a task it gives the vectors that the run scored; for a family its tasks' texts are learned from together.
    """
    same = [row for row in rows if best.subject in (row.task, row.family) and row.shown_recipe() == best.recipe]
    mine = list({row.task: row for row in same}.values())  # one that is there in two spellings counts once
    recipe = mine[0].full_recipe()
    corpus = some(sources.corpus(), _details(mine[0])["average_texts"]) if recipe.mix else None
    embedder = Embedder.from_recipe(recipe, recipe.make_encoder(corpus))
    if embedder.needs_fit:
        _fit(embedder, [text for row in mine for text in _texts(row, sources)], _details(mine[0]), sources)
    embedder.save(folder, overwrite=overwrite)
    return embedder


def _fit(embedder: Embedder, target: list[str], details: dict[str, Any], sources: Sources) -> None:
    """As the sweep does: weights count the whole background corpus, shapers see a part of it."""
    weighting, shaping = new_weights(embedder.weights), new_shapers(embedder.shapers)
    counts = weighting.needs_texts and weighting.on == "background"
    sees = any(learns(shaper) and shaper.on == "background" for shaper in shaping)
    whole = sources.corpus() if counts or sees else ()
    seen = some(whole, details["background_texts"])
    counted = {"target": target} | ({"background": whole} if counts else {})
    shown = {"target": target} | ({"background": seen} if sees else {})
    fit_pipeline(
        Pipeline(embedder.encoder_, weighting, embedder.layers, shaping), shown, counted=counted, progress=True
    )
    embedder.weights_, embedder.shapers_ = weighting, shaping
    learned = FittedOn().with_target(target)
    embedder.fitted_on_ = learned.with_background(whole if counts else seen if sees else None)


def _texts(row: CellRow, sources: Sources) -> tuple[str, ...]:
    """The rows of the task that the run had drawn."""
    details = _details(row)
    return tuple(sample_task(load(str(details["source"]), sources.data), details["rows"]).texts)


def _details(row: CellRow) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(row.details)
    return found
