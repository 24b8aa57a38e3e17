"""A recipe that must learn is not fitted on a handful of texts unless that is asked for."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from attar import Embedder, Transformer, shapers
from attar.cli import main
from attar.enough import Few, few_for_shaping, told, too_few


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


def test_whitening_needs_five_times_as_many_texts_as_dims() -> None:
    texts = {"target": ["x"] * 60}
    assert "learns from 60 texts for 100 dims, and should have 500 or more" in str(
        too_few([shapers.Whiten()], texts, 100)
    )
    assert too_few([shapers.Whiten()], texts, 13) is not None
    assert too_few([shapers.Whiten()], texts, 12) is None
    assert too_few([shapers.Whiten()], {"target": ["x"] * 49}, 8) is not None  # and as many as all others
    assert too_few([shapers.Whiten()], {"target": ["x"] * 50}, 8) is None
    assert too_few([shapers.ZScore(), shapers.Unit()], texts, 100) is None
    assert too_few([shapers.Unit()], {"target": ["x"]}) is None


def test_vectors_are_no_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "v.npy", np.zeros((2, 2)))
    assert run("encode", str(tmp_path / "v.npy")) == 2
    assert "is no text: .npy holds arrays" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ("whiten", 1920),  # 5 for each of 384 dims
        ("whiten:500", 1920),
        ("whiten:20", 1000),  # 50 for each axis
        ("conceptor:0.5", 1920),
        ("abtt:2", 100),
        ("abtt:100", 1920),
        ("common:3", 150),
        ("piecewise:5", 250),
        ("zscore", 50),
        ("quantile", 50),
        ("zscore,whiten,unit", 1920),
    ],
)
def test_how_many_texts_it_takes_by_hand(shape: str, wanted: int) -> None:
    chain = shapers.parse(shape)
    assert few_for_shaping(shape, chain, {"target": wanted}, 384) is None
    few = few_for_shaping(shape, chain, {"target": wanted - 1}, 384)
    assert few == Few(shape, wanted - 1, 384, wanted)


def test_what_learns_nothing_needs_no_texts() -> None:
    assert few_for_shaping("unit", shapers.parse("unit"), {"target": 1}, 384) is None


def test_texts_of_the_background_count_for_it() -> None:
    chain = shapers.parse("whiten@background")
    assert few_for_shaping("w", chain, {"target": 1, "background": 50}, 10) is None
    assert few_for_shaping("w", chain, {"target": 500, "background": 49}, 10) == Few("w", 49, 10, 50)


def test_one_sentence_for_the_same_texts() -> None:
    few = [Few(shape, 400, 384, 1920) for shape in ("whiten", "whiten,unit", "conceptor")]
    (sentence,) = told(few)
    assert sentence.startswith("too few texts to tell what whiten; whiten,unit and conceptor do with more: ")
    assert sentence.endswith(": 400 for 384 dims, and it takes 1,920")
    assert told([Few("abtt:2", 90, None, 100, "STS12")]) == [
        "too few texts to tell what abtt:2 does with more: 90 (STS12), and it takes 100"
    ]
