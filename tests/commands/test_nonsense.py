"""What can't give sensible vectors is refused, or counted and said; never passed over in silence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from sample_cells import cell, write_run

from attar import Embedder, Table, Transformer, shapers
from attar.cli import main
from attar.errors import InputError, ModelError
from attar.persist import RECIPE, _content_sha256

TEXTS = ["the cat sat on the mat", "a dog ran", "seven blue dogs"]


@pytest.fixture
def texts(tmp_path: Path) -> str:
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    return str(path)


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    errors = [line for line in said.splitlines() if not line.startswith("attar: note: ")]
    assert len(errors) == 1, said
    return errors[0]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["encoder.layer.1.output.dense.weight", "embeddings.word_embeddings.weight"])
def test_a_value_in_the_weights_that_is_no_number(
    tiny_bert_dir: Path, tmp_path: Path, texts: str, value: float, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = Path(shutil.copytree(tiny_bert_dir, tmp_path / "damaged"))
    arrays = dict(load_file(damaged / "model.safetensors"))
    arrays[name] = arrays[name].copy()
    arrays[name][:, 0] = value
    save_file(arrays, damaged / "model.safetensors", metadata={"format": "pt"})
    target = tmp_path / "v.npy"
    said = error_of(capsys, "encode", texts, "--model", str(damaged), "-o", str(target))
    assert "3 vectors that are not finite" in said
    assert not target.exists()
    with pytest.raises(ModelError, match="not finite"):
        Table.average(Transformer(damaged), TEXTS, (3,))
    if "layer.1" in name:
        assert np.isfinite(Embedder(Transformer(damaged), layers=1).encode(TEXTS)).all()  # below the damage


def test_a_table_with_a_value_that_is_no_number(tiny_bert: Transformer) -> None:
    table = Table.average(tiny_bert, TEXTS, (1,))
    rows = {1: table.by_layer[1].copy()}
    rows[1][:, 3] = 1e38  # a number, but not so their sum
    loud = Table(rows, table.tokenizer.backend, np.full(len(rows[1]), 1e6, dtype=np.float32))
    for encode in (loud.encode, Embedder(loud, layers=1).encode):
        with pytest.raises(ModelError, match="not finite"):
            encode(TEXTS)
    rows[1][:, 3] = np.inf
    with pytest.raises(InputError, match="not finite"):
        Table(rows, table.tokenizer.backend)


@pytest.mark.parametrize("layers", ["1:0,3:0", "1:0", "first:0.0,last:-0.0"])
def test_layers_that_weigh_nothing(
    tiny_bert_dir: Path, texts: str, layers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "weights of all layers are 0" in error_of(
        capsys, "encode", texts, "--model", str(tiny_bert_dir), "--layers", layers
    )


def test_removing_all_dims(tiny_bert_dir: Path, texts: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = error_of(capsys, "encode", texts, "--model", str(tiny_bert_dir), "--shape", "abtt:16", "--fit-anyway")
    assert "abtt:16 would remove all 16 dims of the vectors; give at most abtt:15" in said


def test_vectors_of_which_nothing_is_left_are_counted(tiny_bert: Transformer, caplog: pytest.LogCaptureFixture) -> None:
    """Three texts have two directions: without both they are all the same, and the mean is taken off."""
    embedder = Embedder(tiny_bert, shapers=[shapers.Center()])
    with caplog.at_level("WARNING", logger="attar"):
        vectors = embedder.fit_transform(["a dog ran", "a dog ran"])
    assert not vectors.any()
    assert embedder.counts_.zero == 1
    assert "have a vector of zeros" in caplog.text


@pytest.mark.parametrize("more", [[], ["--executor", "local", "--workers", "1"]])
def test_weights_of_layers_where_each_is_kept_for_itself(
    tiny_bert_dir: Path, texts: str, tmp_path: Path, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["static", "--model", str(tiny_bert_dir), "--on", texts, "-o", str(tmp_path / "t"), "--layers", "1:0.5"]
    assert "layers with weights" in error_of(capsys, *command, *more)
    assert [path.name for path in tmp_path.iterdir()] == ["texts.txt"]


def test_the_best_of_a_model_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_run(tmp_path / "run", [cell("STS12"), cell("STS13")])
    said = error_of(capsys, "best", str(run), "--model", "bert-base")
    assert "unknown model of this run 'bert-base' (did you mean 'bert-base-uncased'?)" in said


def saved_with(folder: Path, **changes: object) -> str:
    """The recipe with something else in it, and the hash to go with it."""
    path = folder / RECIPE
    content = json.loads(path.read_text()) | changes
    content["recipe_sha256"] = _content_sha256(content)
    path.write_text(json.dumps(content))
    return str(folder)


def test_a_recipe_whose_layer_is_not_there(
    tiny_bert: Transformer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Embedder(tiny_bert).save(tmp_path / "recipe")
    for layers in ([[99, None]], [[1, 0.0]], [[1, None], [1, None]]):
        said = error_of(capsys, "info", saved_with(tmp_path / "recipe", layers=layers))
        assert "does not fit its model" in said


def test_a_recipe_whose_shapers_are_for_other_vectors(
    tiny_bert: Transformer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Table.average(tiny_bert, TEXTS, (1,))
    Embedder(table, layers=1, shapers=[shapers.ZScore()]).fit(TEXTS).save(tmp_path / "recipe")
    narrow = Table({1: np.ascontiguousarray(table.by_layer[1][:, :8])}, table.tokenizer.backend)
    shutil.rmtree(tmp_path / "recipe/encoder")
    narrow.save_arrays(tmp_path / "recipe/encoder")
    said = error_of(capsys, "info", saved_with(tmp_path / "recipe", model_sha256=narrow.fingerprint))
    assert "ZScore is for vectors of 16 dims, the layers have 8" in said


def test_shapers_that_lead_beyond_all_numbers(tiny_bert: Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = Embedder(tiny_bert, shapers=[shapers.ZScore()]).fit(TEXTS)
    monkeypatch.setattr(shapers.ZScore, "transform", lambda self, X: X * np.float32(np.inf))
    with pytest.raises(InputError, match="the shapers made 3 vectors that are not finite"):
        embedder.encode(TEXTS)
