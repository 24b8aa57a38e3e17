"""Model folders made to do harm: each ends in one sentence, at once, in little memory."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from attar_process import Ended, Limits, run

LIMITS = Limits(memory=1 << 30, seconds=60)


@pytest.fixture
def model(tiny_bert_dir: Path, tmp_path: Path) -> Path:
    (tmp_path / "texts.txt").write_text("the cat sat on the mat\na dog ran\n")
    return Path(shutil.copytree(tiny_bert_dir, tmp_path / "model"))


def encode(model: Path) -> Ended:
    return run("encode", "texts.txt", "--model", "model", "-o", "v.npy", cwd=model.parent, limits=LIMITS)


def refused(ended: Ended) -> str:
    assert ended.code == 2, ended
    assert len(ended.err.splitlines()) == 1, ended.err
    assert len(ended.err) < 700
    assert ended.err.startswith("attar: error: ")
    return ended.err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_hidden_layers", 10**9),
        ("num_hidden_layers", 10**30),
        ("vocab_size", 400_000_000),
        ("hidden_size", 10**12),
        ("max_position_embeddings", 10**11),
        ("num_attention_heads", 10**9),
        ("type_vocab_size", 10**10),
        ("layer_norm_eps", -1),
        ("layer_norm_eps", float("nan")),
        ("hidden_act", "no such thing"),
        ("hidden_act", ["gelu"]),
        ("model_type", "no such model"),
        ("model_type", {}),
        ("hidden_size", "16"),
        ("hidden_size", 0),
        ("hidden_size", -16),
        ("architectures", True),
        ("architectures", [1]),
    ],
)
def test_settings_that_ask_for_too_much(model: Path, name: str, value: Any) -> None:
    settings = json.loads((model / "config.json").read_text()) | {name: value}
    (model / "config.json").write_text(json.dumps(settings))
    refused(encode(model))


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "tokenizer_config.json", "modules.json"])
@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 100_000, "", "null", "\x00", '{"a": ' + "9" * 5000 + "}"])
def test_json_that_is_none_or_endlessly_deep(model: Path, file: str, text: str) -> None:
    (model / file).write_text(text)
    ended = encode(model)
    if ended.code != 0:  # a file that is not needed need not be read
        refused(ended)
    else:
        assert file not in ("config.json", "tokenizer.json")


def tokenizer_with(model: Path, **changes: Any) -> None:
    path = model / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_token_with_an_enormous_id(model: Path) -> None:
    settings = json.loads((model / "tokenizer.json").read_text())
    settings["model"]["vocab"]["zzz"] = 400_000_000
    (model / "tokenizer.json").write_text(json.dumps(settings))
    assert "gives a token the id 400,000,000" in refused(encode(model))


@pytest.mark.parametrize("charsmap", ["AAAA", "/////w==", "", "QUJD" * 50, "!!!"])
def test_a_panic_of_the_tokenizer_library(model: Path, charsmap: str) -> None:
    tokenizer_with(model, normalizer={"type": "Precompiled", "precompiled_charsmap": charsmap})
    ended = encode(model)
    assert "panicked" not in ended.err
    if ended.code != 0:
        assert "tokenizer.json" in refused(ended)


def test_names_beyond_all_measure(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("a\n")
    for options in (["--model", "x" * 5000], ["--shape", "abtt:" + "9" * 5000], ["--layers", "9" * 5000]):
        refused(run("encode", "texts.txt", *options, cwd=tmp_path, limits=LIMITS))
    refused(run("info", "x/" * 5000, cwd=tmp_path, limits=LIMITS))
    refused(run("report", "x" * 5000, "-o", "r.html", cwd=tmp_path, limits=LIMITS))
    refused(run("encode", "x" * 5000, cwd=tmp_path, limits=LIMITS))
