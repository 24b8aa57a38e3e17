"""The embedded model has one name in a run, however a grid calls it."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

import tiny_models
from attar.errors import InputError
from attar.sweep import Grid, Part, Settings, sweep
from attar.sweep.best import best_recipes
from attar.sweep.store import FILE, CellRow, Store
from sample_row import ROW

NAME = "all-MiniLM-L6-v2"


def rows_of(run: Path) -> list[CellRow]:
    with Store.of_run(run) as store:
        return store.rows()


def grid(small_data: Path, model: str | None, *weights: str) -> Grid:
    part = Part((str(small_data / "pairs.tsv"),), layers=(("last",),), weights=weights)
    return Grid((part,), (model,), poolings=("mean", "max"))


def test_a_run_is_enlarged_under_the_same_name(small_data: Path, tmp_path: Path) -> None:
    settings = Settings(progress=False, jobs=1)
    assert sweep(grid(small_data, "default", "mean"), tmp_path / "run", settings) == 2
    assert sweep(grid(small_data, None, "mean"), tmp_path / "run", settings) == 0
    assert sweep(grid(small_data, None, "mean", "debiased"), tmp_path / "run", settings) == 2
    assert {row.model for row in rows_of(tmp_path / "run")} == {NAME, f"{NAME} max"}
    assert {row.full_recipe().model for row in rows_of(tmp_path / "run")} == {"default"}


def test_runs_with_two_names_are_read_with_one(small_data: Path, tmp_path: Path) -> None:
    """As earlier versions made them."""
    sweep(grid(small_data, None, "mean", "debiased"), tmp_path / "run", Settings(progress=False, jobs=1))
    before = rows_of(tmp_path / "run")
    with sqlite3.connect(tmp_path / "run" / FILE) as connection:
        for name in ("", " max"):
            values = "default" + name, NAME + name
            connection.execute("UPDATE cells SET model = ? WHERE model = ? AND weights = 'mean'", values)
    assert {row.cell: row for row in rows_of(tmp_path / "run")} == {row.cell: row for row in before}
    found = {best.model: best.n_recipes for best in best_recipes(before)}
    assert found == {NAME: 2, f"{NAME} max": 2}
    assert {best.model: best.n_recipes for best in best_recipes(rows_of(tmp_path / "run"))} == found


def test_another_model_of_its_name_is_refused(small_data: Path, tmp_path: Path) -> None:
    other = tiny_models.bert(tmp_path / NAME)
    two = replace(grid(small_data, None, "mean"), models=(None, str(other)))
    with pytest.raises(InputError, match=f"the models 'default' and '.*{NAME}' would both be called '{NAME}'"):
        sweep(two, tmp_path / "run", Settings(progress=False, jobs=1))


def test_a_folder_called_default_keeps_its_name() -> None:
    own = replace(ROW, model="default", recipe=json.dumps({"encoder": {"model": "/somewhere/default"}}))
    assert own.with_one_name().model == "default"
    assert replace(own, recipe="{}").with_one_name().model == "default"
    assert replace(own, recipe=json.dumps({"encoder": {"model": "default"}})).with_one_name().model == NAME
