"""What "first" and "last" stand for is the model's, not what the cells of a run happen to have."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from attar import Table, Transformer
from attar.cli import attar
from attar.errors import InputError
from attar.recipe import NAMED
from attar.reports.cells import Cells
from attar.reports.tables import recipe_table
from attar.sweep import Grid, Part, Settings, sweep
from attar.sweep.best import best_recipes
from attar.sweep.meanings import Meanings, meanings
from attar.sweep.store import CellRow, Store
from attar.sweep.typed_row import check_details
from sample_row import ROW


def rows_of(run: Path) -> list[CellRow]:
    with Store.of_run(run) as store:
        return store.rows()


def row(layers: str, **details: object) -> CellRow:
    kept = json.dumps(json.loads(ROW.details) | details)
    plain = {"weights": "mean", "shape": "none", "model": "bert-base-uncased", "cell": layers}
    return replace(ROW, layers=layers, details=kept, texts=2 * 1379, **plain)


def test_cells_without_a_named_recipe_have_no_regret(small_data: Path, tiny_bert_dir: Path, tmp_path: Path) -> None:
    """tiny-bert has three layers, and this run has neither the last nor the first with it."""
    part = Part((str(small_data / "pairs.tsv"),), layers=((1,), (2,), (1, 2)))
    sweep(Grid((part,), (str(tiny_bert_dir),)), tmp_path / "run", Settings(progress=False, jobs=1))
    rows = rows_of(tmp_path / "run")
    assert meanings(rows) == {"tiny-bert": Meanings(1, 3)}
    assert {tuple(best.regrets) for best in best_recipes(rows)} == {()}
    shown = CliRunner().invoke(attar, ["best", str(tmp_path / "run")]).output
    assert shown.count("the run has no cell of a named recipe") == 1


def test_the_last_layer_makes_a_named_recipe(small_data: Path, tiny_bert_dir: Path, tmp_path: Path) -> None:
    part = Part((str(small_data / "pairs.tsv"),), layers=((1,), (3,), (1, 3)))
    sweep(Grid((part,), (str(tiny_bert_dir),)), tmp_path / "run", Settings(progress=False, jobs=1))
    assert {tuple(best.regrets) for best in best_recipes(rows_of(tmp_path / "run"))} == {("plain", "classification")}


def test_named_recipes_are_those_of_tuned_models_where_a_cell_says_so() -> None:
    """With a model that was tuned for sentences "similarity" stands for its plain mean at length 1."""
    rows = [
        replace(row("12", first_layer=1, last_layer=12, tuned_for_sentences=True), shape=s, score=x, cell=s)
        for s, x in (("none", 0.5), ("unit", 0.7), ("zscore", 0.6))
    ]
    best = best_recipes(rows)[0]
    assert best.regrets == pytest.approx({name: 0.2 * (name in ("plain", "classification")) for name in NAMED})
    raw = [replace(one, details=ROW.details) for one in rows]
    assert set(best_recipes(raw)[0].regrets) == {"plain"}


def test_published_values_stand_beside_the_models_own_layers_only() -> None:
    own, other = row("1+12", first_layer=1, last_layer=12), row("1+3", first_layer=1, last_layer=12)
    assert Cells((other,)).published(other) is None
    assert Cells((own, other)).published(own) is not None
    beside = recipe_table(Cells((other,)), "bert-base-uncased", "STS-B")
    assert "layers 1+3, as there is no cell at 1+12" in beside.title
    assert {value.published for _, values in beside.rows for value in values if value} == {None}


def test_runs_that_do_not_tell_are_read_as_before() -> None:
    old = [row("1+12"), row("3")]
    assert meanings(old) == {"bert-base-uncased": Meanings(1, 12)}
    assert Cells(tuple(old)).published(old[0]) is not None
    assert meanings([row("1+3"), row("2", first_layer=1, last_layer=12)]) == {"bert-base-uncased": Meanings(1, 12)}


def test_a_table_of_some_layers_has_ends_of_its_own(tiny_bert: Transformer) -> None:
    eye = np.eye(len(tiny_bert.vocabulary))
    table = Table({2: eye, 3: eye}, tiny_bert.backend_tokenizer)
    assert Meanings.of(table) == Meanings(2, 3)
    assert Meanings.of(tiny_bert) == Meanings(1, 3)


@pytest.mark.parametrize("value", [-2, 1.5, "3", True, 10**6])
def test_ends_of_a_foreign_store_are_checked(value: object) -> None:
    with pytest.raises(InputError, match="last_layer"):
        check_details({"average_texts": 1, "background_texts": 1, "last_layer": value}, "a store")
    with pytest.raises(InputError, match="tuned_for_sentences"):
        check_details({"average_texts": 1, "background_texts": 1, "tuned_for_sentences": "yes"}, "a store")
