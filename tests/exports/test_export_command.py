from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from export_cases import made_sentences
from tokenizers import Tokenizer

import tiny_models
from attar import Embedder, Table, Transformer, shapers
from attar.cli import main

FIT = made_sentences(60, seed=1)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit code and the last line on stderr."""
    code = 0
    try:
        main(list(arguments))
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    assert captured.out == ""
    return code, captured.err.strip().splitlines()[-1]


@pytest.fixture
def recipe(tiny_bert_dir: Path, tmp_path: Path) -> str:
    Embedder(Transformer(tiny_bert_dir), -1, shapers=shapers.parse("center,unit")).fit(FIT).save(tmp_path / "recipe")
    return str(tmp_path / "recipe")


def test_export(recipe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "model")
    assert run(capsys, "export", recipe, "--to", "model2vec", "-o", target)[0] == 0
    assert (tmp_path / "model/model.safetensors").is_file()
    code, message = run(capsys, "export", recipe, "--to", "model2vec", "-o", target)
    assert (code, "it exists; remove it" in message) == (2, True)
    assert run(capsys, "export", recipe, "--to", "model2vec", "-o", target, "--overwrite")[0] == 0


def test_a_moved_model_and_a_table(tiny_bert_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe, graph = tmp_path / "recipe", tmp_path / "graph"
    Embedder(Transformer(tiny_bert_dir, template="[X] means [MASK]", max_tokens=9), -1).save(recipe)
    moved = shutil.copytree(tiny_bert_dir, tmp_path / "moved")
    assert run(capsys, "export", str(recipe), "--to", "onnx", "--model", str(moved), "-o", str(graph))[0] == 0
    tokenizer = Tokenizer.from_file(str(graph / "tokenizer.json"))
    assert tokenizer.encode("the cat").tokens == ["[CLS]", "the", "cat", "means", "[MASK]", "[SEP]"]
    assert tokenizer.truncation["max_length"] == 9
    Table(np.eye(200)[:, :6], tiny_models.wordpiece()).save(tmp_path / "table")
    plain = ("export", "plain", "--model", str(tmp_path / "table"), "--to", "model2vec")
    assert run(capsys, *plain, "-o", str(tmp_path / "static"))[0] == 0


def test_only_exports_are_overwritten(recipe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    thesis = tmp_path / "mine/thesis.txt"
    thesis.parent.mkdir()
    arguments = ("export", recipe, "--to", "model2vec", "-o", str(thesis.parent), "--overwrite")
    for card, told in {"": "and no README.md", "# My own words": "it is not an export of Attar"}.items():
        thesis.write_text("years of work")
        if card:
            (thesis.parent / "README.md").write_text(card)
        code, message = run(capsys, *arguments)
        assert (code, told in message) == (2, True)
        assert thesis.read_text() == "years of work"
    for path in (thesis, thesis.parent / "README.md"):
        path.unlink()
    assert run(capsys, *arguments)[0] == 0  # an empty folder holds nothing to lose


def test_bad_input(recipe: str, tiny_bert_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "model")
    for arguments, told in {
        (recipe, "--to", "sentence-transformer", "-o", target): "did you mean 'sentence-transformers'?",
        (recipe, "--to", "sentence-transformers", "-o", target): "has no module for layer -1 (the token table)",
        (
            "similarity",
            "--to",
            "onnx",
            "-o",
            target,
            "--model",
            str(tiny_bert_dir),
        ): "first: `attar fit --recipe similarity --on",
        ("nonsense", "--to", "onnx", "-o", target): "unknown recipe 'nonsense'",
        (str(tiny_bert_dir), "--to", "onnx", "-o", target): "is not a recipe folder",
        (recipe, "--to", "onnx", "-o", str(tmp_path / "no/where")): "there is no folder",
    }.items():
        code, message = run(capsys, "export", *arguments)
        assert code == 2
        assert told in message
        assert message.startswith("attar: error: ")
    assert not Path(target).exists()
