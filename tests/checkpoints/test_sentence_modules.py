"""What a folder of sentence-transformers says that its model gives."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from attar import Embedder, Transformer
from attar.checkpoints.sentence_modules import tuned_for

PACKAGE = "sentence_transformers.models"
OLD_CLS = {"word_embedding_dimension": 16, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
OLD_MEAN = {"word_embedding_dimension": 16, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
FIRST, LAST = "the vector of its first token", "the vector of its last token"


def saved(folder: Path, pooling: object, *more: str) -> Path:
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "1_Pooling/config.json").write_text(json.dumps(pooling))
    names = ["Transformer", "Pooling", *more]
    paths = ["", "1_Pooling", *(f"{n}_{name}" for n, name in enumerate(more, 2))]
    modules = [{"type": f"{PACKAGE}.{name}", "path": path} for name, path in zip(names, paths, strict=True)]
    (folder / "modules.json").write_text(json.dumps(modules))
    return folder


@pytest.mark.parametrize(
    ("pooling", "more", "told"),
    [
        (OLD_MEAN, ["Normalize"], []),
        ({"pooling_mode": "mean"}, [], []),
        (OLD_CLS, ["Normalize"], [FIRST]),
        ({"pooling_mode": "cls"}, [], [FIRST]),
        ({"pooling_mode": "lasttoken"}, [], [LAST]),
        ({"pooling_mode_lasttoken": True}, [], [LAST]),
        ({"pooling_mode_max_tokens": True}, [], ["the maximum over tokens"]),
        ({"pooling_mode": ["mean", "weightedmean"]}, [], ["pooling by weightedmean"]),
        (OLD_MEAN, ["Dense", "Normalize"], ["a Dense layer"]),
        (OLD_CLS, ["Dense"], [FIRST, "a Dense layer"]),
        ([], [], []),
    ],
)
def test_what_it_was_tuned_for(pooling, more, told, tmp_path):
    found = tuned_for(saved(tmp_path / "model", pooling, *more))
    assert [words.partition(" (")[0] for words in found] == told


@pytest.mark.parametrize("content", ["", "{", "{}", "[1]", "[" * 100_000, '[{"type": 5}]'])
def test_what_can_not_be_read_says_nothing(content, tmp_path):
    (tmp_path / "modules.json").write_text(content)
    assert tuned_for(tmp_path) == ()


def test_it_is_told_where_the_mean_is_taken(tiny_bert_dir, tmp_path, caplog):
    folder = Path(shutil.copytree(tiny_bert_dir, tmp_path / "model"))
    Embedder(Transformer(saved(folder, OLD_CLS))).encode(["a cat"])
    assert "tuned for the vector of its first token (here: weights 'first'), and you take its plain mean" in caplog.text
    caplog.clear()
    Embedder(Transformer(folder), weights="first").encode(["a cat"])
    assert not caplog.text
