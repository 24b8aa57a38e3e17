"""Ids of cells, and the recipes that are stored with them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from attar import Embedder, Transformer
from attar.cli import attar
from attar.sweep import Grid, Part, Settings, sweep
from attar.sweep.best import best_recipes
from attar.sweep.cells import Corpora, cells_of
from attar.sweep.store import FILE, CellRow, Store
from attar.sweep.subjects import Subject


@pytest.mark.parametrize(
    ("template", "n", "first", "last", "digest"),
    [
        ("none", 36, "c0f562e89ca06b603179", "f329c808ed57ef98a9cf", "d37abdb6ad31faf57e42"),
        ("T0", 48, "394de2e3f8990632e02e", "559570e6f16d008f12dd", "56155205cb851386dffe"),
    ],
)
def test_ids_are_those_of_the_version_before(
    tiny_bert: Transformer, template: str, n: int, first: str, last: str, digest: str
) -> None:
    weights = ("mean+specials", "idf@background", "sif", "mean-without-masks")
    shapes: tuple[tuple[str, ...], ...] = ((), ("abtt:2", "zscore@background", "unit"), ("quantile-normal",))
    part = Part(("s",), ("none", "T0"), ((1, 3), (2,)), weights, shapes, (0.0, 0.5))
    subjects = {"s": (Subject("s", "sts", ("a", "b"), None),)}
    ids = list(cells_of(Grid((part,)), template, tiny_bert, "f" * 64, subjects, Corpora("c", "e", "a")))
    assert (len(ids), ids[0], ids[-1]) == (n, first, last)
    assert hashlib.sha256(" ".join(ids).encode()).hexdigest()[:20] == digest


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, small_data: Path, tiny_bert_dir: Path) -> Path:
    folder = tmp_path_factory.mktemp("mixed") / "run"
    part = Part((str(small_data / "pairs.tsv"),), layers=((1, 3),), weights=("idf",), shapes=(("zscore",),), mix=(0.5,))
    settings = Settings(background=small_data / "background.txt", jobs=1, progress=False)
    sweep(Grid((part,), (str(tiny_bert_dir),), average_texts=10), folder, settings)
    return folder


def only_row(run: Path) -> CellRow:
    with Store.of_run(run) as store:
        (row,) = store.rows()
    return row


def test_a_mixed_cell_says_what_it_is_mixed_with(run: Path, tiny_bert_dir: Path) -> None:
    row = only_row(run)
    stored = json.loads(row.recipe)["encoder"]
    assert (stored["type"], stored["w"], stored["b"]) == ("mix", 0.5, {"type": "average"})
    assert str(row.full_recipe()) == f"{tiny_bert_dir.resolve()} | none | 1,3 | idf | zscore | mix 0.5"
    assert str(row.shown_recipe()) == "tiny-bert | none | 1,3 | idf | zscore | mix 0.5"


def saved_vectors(run: Path, folder: Path) -> np.ndarray:
    done = CliRunner().invoke(attar, ["best", str(run), "--for", "pairs", "--save", str(folder)])
    assert done.exit_code == 0, done.output
    embedder = Embedder.load(folder)
    assert embedder.recipe.mix == 0.5
    return np.asarray(embedder.encode(["the red cat sat", "a dog"]))


def test_a_store_of_the_version_before_can_be_read(run: Path, tmp_path: Path) -> None:
    """It stored mixed cells as if they were not mixed, and always split the background into sentences."""
    old = tmp_path / "old"
    old.mkdir()
    content = json.loads(only_row(run).recipe)
    content["encoder"] = content["encoder"]["a"]
    about = json.loads((run / "run.json").read_text())
    (old / FILE).write_bytes((run / FILE).read_bytes())
    with sqlite3.connect(old / FILE) as connection:
        connection.execute("UPDATE cells SET recipe = ?", (json.dumps(content, sort_keys=True),))
    (old / "run.json").write_text(json.dumps({name: about[name] for name in ("attar", "data", "background")}))
    assert only_row(old).full_recipe() == only_row(run).full_recipe()
    assert [best.recipe for best in best_recipes([only_row(old)])] == [only_row(run).shown_recipe()] * 2
    assert saved_vectors(old, tmp_path / "a").shape == saved_vectors(run, tmp_path / "b").shape
    report = CliRunner().invoke(attar, ["report", str(old), "-o", str(tmp_path / "report.html")])
    assert report.exit_code == 0, report.output


def test_the_shape_of_best_as_json(run: Path) -> None:
    (first, *_) = json.loads(CliRunner().invoke(attar, ["best", str(run), "--json"]).output)
    assert first["recipe"] == {
        "model": "tiny-bert",
        "template": "none",
        "layers": "1,3",
        "weights": "idf",
        "shape": "zscore",
        "mix": 0.5,
        "text": "tiny-bert | none | 1,3 | idf | zscore | mix 0.5",
    }


@pytest.mark.parametrize("split", [False, True])
def test_a_cell_scores_the_same_in_score_and_in_a_sweep(
    tmp_path: Path, small_data: Path, tiny_bert_dir: Path, split: bool
) -> None:
    """And --background means the same in both: lines, or sentences with --sentences."""
    background = tmp_path / "background.txt"  # "the" is in every line, and "music" in every second sentence
    background.write_text("The cat sat on the mat . Red music on a river .\nThe tree . Blue music on the man .\n" * 5)
    pairs, flags = small_data / "pairs.tsv", ["--background", str(background), *(["--sentences"] if split else [])]
    grid = tmp_path / "grid.toml"
    grid.write_text(f'tasks = ["{pairs}"]\nlayers = [[1, 3]]\nweights = ["idf@background"]\n')
    swept = CliRunner().invoke(
        attar, ["sweep", "--grid", str(grid), "--model", str(tiny_bert_dir), *flags, "-o", str(tmp_path / "run")]
    )
    assert swept.exit_code == 0, swept.output
    options = ["--layers", "1,3", "--weights", "idf@background", "--tasks", str(pairs), "--json"]
    scored = CliRunner().invoke(attar, ["score", str(tiny_bert_dir), *options, *flags])
    assert scored.exit_code == 0, scored.output
    assert json.loads(scored.stdout)[0]["score"] / 100 == pytest.approx(only_row(tmp_path / "run").score, abs=0.01)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["sentences"] is split
