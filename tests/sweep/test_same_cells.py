"""What can't differ is scored once, what a model can't have is left out, and both are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from attar import Embedder, Table, Transformer
from attar.cli import attar
from attar.encoders.pooled import Pooled
from attar.errors import InputError
from attar.sweep import Grid, Part, Settings, sweep
from attar.sweep.best import best_recipes, find_best
from attar.sweep.store import CellRow, Store
from attar.tasks import load
from sample_row import ROW

WEIGHTS = ("sif", "idf", "mean", "position", "debiased", "first", "usif@background")
SETTINGS = Settings(progress=False, jobs=1)


def rows_of(run: Path) -> list[CellRow]:
    with Store.of_run(run) as store:
        return store.rows()


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level("INFO", logger="attar"):
        yield caplog


def weights_of(run: Path, model: str) -> set[str]:
    return {row.weights for row in rows_of(run) if row.model == model}


def test_weights_that_only_scale_are_left_out_beside_a_greatest_value(
    small_data: Path, tiny_bert_dir: Path, tmp_path: Path, said: pytest.LogCaptureFixture
) -> None:
    """Each pair has a "the", which idf drops there; so idf is left out only where it drops nothing in any task."""
    all_different = tmp_path / "different.tsv"
    all_different.write_text("text1\ttext2\tscore\nthe cat\ta dog\t1\nred mat\tthe tree\t2\nblue\triver\t3\n")
    part = Part((str(small_data / "pairs.tsv"), str(all_different)), layers=((2,),), weights=WEIGHTS)
    grid = Grid((part,), (str(tiny_bert_dir),), poolings=("mean", "max", "max,min", "power:3"))
    settings = Settings(background=small_data / "background.txt", progress=False, jobs=1)
    sweep(grid, tmp_path / "run", settings)
    found = {(row.model, row.task): set[str]() for row in rows_of(tmp_path / "run")}
    for row in rows_of(tmp_path / "run"):
        found[row.model, row.task].add(row.weights)
    for task in ("pairs", "different"):
        assert found["tiny-bert", task] == found["tiny-bert power", task] == set(WEIGHTS)
        kept = {"mean", "debiased", "first", "idf"}
        assert found["tiny-bert max", task] == found["tiny-bert max,min", task] == kept
    (told,) = [message for message in said.messages if "equal cells" in message and "bert max, template" in message]
    assert told.endswith(": 2 of sif (as mean), 2 of position (as mean), 2 of usif@background (as mean)")
    assert sweep(grid, tmp_path / "run", settings) == 0
    alone = replace(grid, parts=(replace(part, tasks=(str(all_different),)),))
    sweep(alone, tmp_path / "alone", settings)
    assert weights_of(tmp_path / "alone", "tiny-bert max") == {"mean", "debiased", "first"}


@pytest.mark.parametrize("pooling", ["max", "min"])
def test_what_is_left_out_is_the_same_to_the_bit(small_data: Path, tiny_bert_dir: Path, pooling: str) -> None:
    texts = load(small_data / "pairs.tsv").texts
    encoder = Pooled(Transformer(tiny_bert_dir), pooling)
    plain = Embedder(encoder, layers=2).encode(texts)
    for weights, same in (("sif", True), ("position", True), ("idf", False), ("debiased", False)):
        found = Embedder(encoder, layers=2, weights=weights).fit_transform(texts)
        assert np.array_equal(found, plain) is same


def test_without_the_mean_the_first_of_equals_is_kept(small_data: Path, tiny_bert_dir: Path, tmp_path: Path) -> None:
    part = Part((str(small_data / "pairs.tsv"),), layers=((2,),), weights=("sif", "position"))
    sweep(Grid((part,), (str(tiny_bert_dir),), poolings=("max",)), tmp_path / "run", SETTINGS)
    assert weights_of(tmp_path / "run", "tiny-bert max") == {"sif"}


def test_named_recipes_are_weighted_means(small_data: Path, tiny_bert_dir: Path, tmp_path: Path) -> None:
    part = Part((str(small_data / "pairs.tsv"),), layers=(("last",), ("first", "last")))
    sweep(Grid((part,), (str(tiny_bert_dir),), poolings=("mean", "max", "dct:2")), tmp_path / "run", SETTINGS)
    found = {best.model: set(best.regrets) for best in best_recipes(rows_of(tmp_path / "run"))}
    none: set[str] = set()
    assert found == {"tiny-bert": {"plain", "classification"}, "tiny-bert max": none, "tiny-bert dct:2": none}
    shown = CliRunner().invoke(attar, ["best", str(tmp_path / "run"), "--model", "tiny-bert max"]).output
    assert "the run has no cell of a named recipe" in shown
    assert "plain" not in shown


def test_among_equals_plain_weights_are_best() -> None:
    """Runs of earlier versions have cells that can't differ."""
    rows = [replace(ROW, cell=weights, weights=weights) for weights in ("debiased", "idf", "mean", "sif")]
    assert find_best(rows, "STS-B").recipe.weights.text == "mean"


def test_cells_with_average_are_left_out_and_told(
    small_data: Path, tiny_bert_dir: Path, tmp_path: Path, said: pytest.LogCaptureFixture
) -> None:
    """They were scored without it before, under a mix of 0."""
    bert = Transformer(tiny_bert_dir)
    Table(np.eye(len(bert.vocabulary)), bert.backend_tokenizer).save(tmp_path / "table")
    pairs = (str(small_data / "pairs.tsv"),)
    settings = Settings(background=small_data / "background.txt", progress=False, jobs=1)
    models = (str(tiny_bert_dir), str(tmp_path / "table"))
    part = Part(pairs, layers=(("last",),), mix=(0.5,))
    assert sweep(Grid((part,), models, poolings=("mean", "max")), tmp_path / "run", settings) == 1
    assert {(row.model, row.mix) for row in rows_of(tmp_path / "run")} == {("tiny-bert", 0.5)}
    assert (
        "tiny-bert max: cells with Avg. (a mix other than 0) are left out, since it goes with weighted means"
        in said.text
    )
    assert "table: cells with Avg. (a mix other than 0) are left out, since this model has no context" in said.text


@pytest.mark.parametrize("part", [{"mix": (0.5,)}, {"templates": ("T0",)}])
def test_a_grid_of_which_nothing_is_left_is_refused(
    small_data: Path, tiny_bert_dir: Path, tmp_path: Path, part: dict[str, tuple[float | str, ...]]
) -> None:
    made = Part((str(small_data / "pairs.tsv"),), layers=(("last",),), **part)  # type: ignore[arg-type]
    settings = Settings(background=small_data / "background.txt", progress=False, jobs=1)
    with pytest.raises(InputError, match="nothing is left of the grid"):
        sweep(Grid((made,), (f"random:{tiny_bert_dir}",)), tmp_path / "run", settings)
    assert not (tmp_path / "run").exists()
