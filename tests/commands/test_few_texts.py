"""A recipe that must learn is not fitted on a handful of texts unless that is asked for."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from attar import Embedder, Transformer, shapers
from attar.cli import main
from attar.enough import too_few


def run(*arguments: str) -> int:
    try:
        main(list(arguments))
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_the_command_line_refuses(tiny_bert_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.txt").write_text("one query\n", encoding="utf-8")
    command = ["encode", str(tmp_path / "q.txt"), "--model", str(tiny_bert_dir), "--recipe", "similarity"]
    target = tmp_path / "v.npy"
    assert run(*command, "-o", str(target)) == 2
    assert "1 is too few" in (said := capsys.readouterr().err)
    assert "saved recipe" in said
    assert not target.exists()
    assert run(*command, "--fit-anyway", "-o", str(target)) == 0


def test_python_warns(tiny_bert: Transformer, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "attar"):
        Embedder(tiny_bert, shapers=[shapers.ZScore()]).fit(["the cat", "a dog"])
        assert "ZScore learns from 2 texts" in caplog.text
        caplog.clear()
        Embedder(tiny_bert).fit(["the cat"])
        assert caplog.text == ""


def test_whitening_needs_more_texts_than_dims() -> None:
    texts = {"target": ["x"] * 60}
    assert too_few([shapers.Whiten()], texts, 100) is not None
    assert too_few([shapers.Whiten()], texts, 40) is None
    assert too_few([shapers.Whiten()], {"target": ["x"] * 49}, 8) is not None  # and as many as all others
    assert too_few([shapers.Whiten()], {"target": ["x"] * 50}, 8) is None
    assert too_few([shapers.ZScore(), shapers.Unit()], texts, 100) is None
    assert too_few([shapers.Unit()], {"target": ["x"]}) is None


def test_vectors_are_no_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "v.npy", np.zeros((2, 2)))
    assert run("encode", str(tmp_path / "v.npy")) == 2
    assert "is no text: .npy holds arrays" in capsys.readouterr().err
