"""Recipes of a run compared on the same rows: the best of many, regrets with intervals, and shapers that hurt."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from click.testing import CliRunner

from attar.cli import attar
from attar.enough import Few, told
from attar.errors import InputError
from attar.reports.cells import Cells
from attar.reports.formats import latex, markdown
from attar.reports.page import page_data
from attar.reports.tables import all_tables, recipe_table, shaping_table
from attar.sweep.best import best_recipes, find_best, scores_by_recipe
from attar.sweep.draws import draws_by_recipe, few_texts, shaping_effects
from attar.sweep.store import FILE, CellRow, Store
from attar.sweep.typed_row import check_details
from sample_row import ROW

LUCK = np.random.default_rng(0).normal(size=200) * 0.02  # what the draw of rows does to all recipes alike


def cell(task: str, weights: str, shape: str, score: float, own: float = 0.001, layers: str = "3") -> CellRow:
    draws = score + LUCK + np.random.default_rng(crc32(f"{weights} {shape}".encode())).normal(size=200) * own
    details = json.loads(ROW.details) | {"draws": [round(float(draw), 5) for draw in draws]}
    name = "|".join((task, layers, weights, shape))
    columns = {"task": task, "weights": weights, "shape": shape, "score": score, "layers": layers, "texts": 1000}
    return replace(ROW, cell=name, details=json.dumps(details), low=score - 0.04, high=score + 0.04, **columns)


ROWS = [
    cell(task, weights, shape, 0.5 + 0.1 * (task == "STS13") + gain + 0.01 * (weights == "idf"))
    for task in ("STS12", "STS13")
    for weights in ("mean", "idf")
    for shape, gain in (("none", 0.0), ("zscore", 0.02), ("whiten", -0.05))
]


def test_what_shaping_does_by_hand():
    effects = shaping_effects(scores_by_recipe(ROWS), draws_by_recipe(ROWS))
    found = {(one.subject, one.shape): one for one in effects}
    assert set(found) == {(s, shape) for s in ("STS12", "STS13", "sts") for shape in ("zscore", "whiten")}
    assert found["sts", "whiten"].gain.value == pytest.approx(-0.05)
    assert found["sts", "whiten"].hurts
    assert found["sts", "whiten"].n_recipes == 2
    assert str(found["STS12", "whiten"]).startswith("whiten costs 5.0 (")
    assert found["STS12", "zscore"].gain.low > 0.015  # though single intervals are 0.08 wide
    assert not found["STS12", "zscore"].hurts


def test_the_best_says_what_the_choice_is_worth():
    best = find_best(ROWS, "sts")
    assert best.n_recipes == 6
    assert best.chosen.tied.sum() == 1
    assert best.chosen.corrected == pytest.approx(best.score, abs=0.003)
    assert [one.shape for one in best.hurts] == ["whiten"]
    plain = best.sure_regrets["plain"]
    assert plain.value == pytest.approx(0.03)
    assert plain.low > 0.02


def test_equals_are_tied_and_the_best_is_luck():
    rows = [cell("STS12", "mean", f"whiten:{k}", 0.5 + 0.001 * k, own=0.02) for k in range(1, 9)]
    best = find_best(rows, "STS12")
    assert best.chosen.tied.sum() >= 7
    assert best.chosen.optimism > 0.005


def test_runs_without_draws_are_shown_as_before():
    rows = [replace(row, details=ROW.details) for row in ROWS]
    assert draws_by_recipe(rows)["sts"] == {}
    assert [best.chosen for best in best_recipes(rows)] == [None, None, None]
    assert not shaping_effects(scores_by_recipe(rows), draws_by_recipe(rows))


def test_the_command_and_the_report_say_it(tmp_path: Path):
    (tmp_path / "run").mkdir()
    with Store(tmp_path / "run" / FILE) as store:
        for row in ROWS:
            store.add(row)
    shown = CliRunner().invoke(attar, ["best", str(tmp_path / "run"), "--for", "sts"]).output
    assert "chosen among 6 recipes, 0 of the others not surely worse: expect 5" in shown
    assert "regret: plain 3.0 (2." in shown
    assert "shaping hurts here: whiten costs 5.0 (" in shown
    (data,) = json.loads(CliRunner().invoke(attar, ["best", str(tmp_path / "run"), "--for", "sts", "--json"]).output)
    assert data["n_tied"] == 1
    assert data["hurts"][0]["shape"] == "whiten"
    cells = Cells(tuple(ROWS))
    verdicts = {labels[2]: labels[4] for labels, _ in shaping_table(cells).rows if labels[0] == "sts"}
    assert verdicts == {"whiten": "hurts", "zscore": "helps"}
    assert len(page_data(cells)["shaping"]["rows"]) == 6


def with_dims(rows: list[CellRow], dims: int, **texts: int) -> list[CellRow]:
    return [
        replace(row, texts=texts.get(row.task, row.texts), details=json.dumps(json.loads(row.details) | {"dims": dims}))
        for row in rows
    ]


def test_what_learned_from_too_few_texts_hurts_on_these_and_is_told(tmp_path: Path):
    rows = with_dims(ROWS, 200, STS12=999, STS13=1000)
    few = few_texts(rows)
    assert set(few) == {("STS12", "bert", "whiten"), ("sts", "bert", "whiten")}
    assert few["sts", "bert", "whiten"] == Few("whiten", 999, 200, 1000, "STS12")
    said = {best.subject: (best.hurts, told(best.untold)) for best in best_recipes(rows)}
    assert [one.shape for one in said["STS12"][0]] == ["whiten"]
    few_told = "too few texts to tell what whiten does with more: 999 for 200 dims{}, and it takes 1,000"
    assert (said["STS12"][1], said["sts"][1]) == ([few_told.format("")], [few_told.format(" (STS12)")])
    assert [one.shape for one in said["STS13"][0]] == ["whiten"]
    assert said["STS13"][1] == []
    (tmp_path / "run").mkdir()
    with Store(tmp_path / "run" / FILE) as store:
        for row in rows:
            store.add(row)
    shown = CliRunner().invoke(attar, ["best", str(tmp_path / "run"), "--for", "STS12"]).output
    assert f"{'':16} too few texts to tell what whiten does with more: 999 for 200 dims, and it takes 1,000\n" in shown
    assert "shaping hurts here: whiten costs" in shown
    (data,) = json.loads(CliRunner().invoke(attar, ["best", str(tmp_path / "run"), "--for", "STS12", "--json"]).output)
    assert [one["shape"] for one in data["hurts"]] == ["whiten"]
    assert data["too_few_texts"] == [{"shape": "whiten", "texts": 999, "dims": 200, "wanted": 1000, "task": None}]


def test_tables_tell_it_too():
    cells = Cells(tuple(with_dims(ROWS, 200, STS12=999)))
    verdicts = {labels[::2]: labels[4] for labels, _ in shaping_table(cells).rows if labels[2] == "whiten"}
    assert list(verdicts.values()) == ["hurts on so few texts", "hurts on so few texts", "hurts"]  # sts, STS12, STS13
    sentence = "too few texts to tell what whiten does with more: 999 for 200 dims, and it takes 1,000"
    assert f"STS12: {sentence}" in shaping_table(cells).notes
    assert recipe_table(cells, "bert", "STS12").notes[0] == sentence
    for write in (markdown, latex):
        assert f"STS12: {sentence}." in write(all_tables(cells))
    assert page_data(cells)["few"]["bert"]["STS12"] == [sentence]
    assert "STS13" not in page_data(cells)["few"]["bert"]


@pytest.mark.parametrize("draws", ["many", [0.5, "x"], [2.0], [True], {"a": 1}])
def test_draws_of_a_foreign_store_are_checked(draws):
    with pytest.raises(InputError, match="draws"):
        check_details({"average_texts": 1, "background_texts": 1, "draws": draws}, "a store")
