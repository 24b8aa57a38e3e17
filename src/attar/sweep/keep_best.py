"""Save the best recipe of a run, fitted on the texts of the task or family that it is best for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attar.embedder import Embedder
from attar.encoders.mix import Mix
from attar.encoders.table import Table
from attar.encoders.transformer import Transformer
from attar.errors import InputError
from attar.recipe import Recipe
from attar.store import CellRow
from attar.sweep.background import some
from attar.sweep.best import Best, RecipeKey
from attar.sweep.run import ABOUT
from attar.tasks import load
from attar.tasks.wikitext import sentences


@dataclass(frozen=True)
class Sources:
    """Where a run had its texts from."""

    data: Path | None
    background: Path | None

    @classmethod
    def of_run(cls, run: Path, data: Path | None = None) -> Sources:
        """What the run says; `data` stands in where the tasks have moved."""
        about = json.loads((run / ABOUT).read_text(encoding="utf-8"))
        found = {name: None if about[name] is None else Path(about[name]) for name in ("data", "background")}
        return cls(data or found["data"], found["background"])

    def corpus(self) -> tuple[str, ...]:
        return () if self.background is None else tuple(sentences(self.background))


def save_best(best: Best, rows: list[CellRow], sources: Sources, folder: Path, *, overwrite: bool = False) -> Embedder:
    """Write a recipe folder; what has to learn learns from the task's texts, or from the run's background corpus."""
    mine = [row for row in rows if RecipeKey.of(row) == best.recipe and best.subject in (row.task, row.family)]
    recipe = Recipe.from_json(json.loads(mine[0].recipe))
    embedder = Embedder.from_recipe(recipe, _mixed(mine[0], recipe, sources) if best.recipe.mix != 0 else None)
    if embedder.needs_fit:
        texts = [text for row in mine for text in load(_source(row), sources.data).texts]
        embedder.fit(texts, background=list(sources.corpus()) or None)
    embedder.save(folder, overwrite=overwrite)
    return embedder


def _source(row: CellRow) -> str:
    return str(json.loads(row.details)["source"])


def _mixed(row: CellRow, recipe: Recipe, sources: Sources) -> Mix:
    """The model with the Avg. that the run had made, made once more."""
    details: dict[str, Any] = json.loads(row.details)
    texts = some(sources.corpus(), details["average_texts"])
    if not texts:
        raise InputError(f"{row.task} is best with Avg., which needs the run's background corpus; the run names none")
    model = recipe.make_encoder()
    plain = Transformer.from_spec(dict(recipe.encoder) | {"template": None})
    layers = tuple(int(layer) for layer in row.layers.split("+"))
    return Mix(model, Table.average(plain, texts, layers), w=row.mix)
