"""What a folder of sentence-transformers says that its model gives."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from attar import Embedder, Mix, Random, Recipe, Transformer
from attar.checkpoints.sentence_modules import Tuned, tuned
from attar.cli import attar

PACKAGE = "sentence_transformers.models"
OLD_CLS = {"word_embedding_dimension": 16, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
OLD_MEAN = {"word_embedding_dimension": 16, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}


def saved(folder: Path, pooling: object, *more: str) -> Path:
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "1_Pooling/config.json").write_text(json.dumps(pooling))
    names = ["Transformer", "Pooling", *more]
    paths = ["", "1_Pooling", *(f"{n}_{name}" for n, name in enumerate(more, 2))]
    modules = [{"type": f"{PACKAGE}.{name}", "path": path} for name, path in zip(names, paths, strict=True)]
    (folder / "modules.json").write_text(json.dumps(modules))
    return folder


@pytest.mark.parametrize(
    ("pooling", "more", "weights", "beyond"),
    [
        (OLD_MEAN, ["Normalize"], "mean", ()),
        ({"pooling_mode": "mean"}, [], "mean", ()),
        (OLD_CLS, ["Normalize"], "first", ()),
        ({"pooling_mode": "cls"}, [], "first", ()),
        ({"pooling_mode": "lasttoken"}, [], "last", ()),
        ({"pooling_mode_lasttoken": True}, [], "last", ()),
        ({"pooling_mode_max_tokens": True}, [], "mean", ("pooling by max",)),
        ({"pooling_mode": ["mean", "weightedmean"]}, [], "mean", ("pooling by weightedmean",)),
        ({"pooling_mode": ["cls", "max"]}, [], "mean", ("pooling by cls", "pooling by max")),
        (OLD_MEAN, ["Dense", "Normalize"], "mean", ("a Dense layer",)),
        (OLD_CLS, ["Dense"], "first", ("a Dense layer",)),
        ([], [], "mean", ()),
    ],
)
def test_what_it_was_tuned_to_give(pooling, more, weights, beyond, tmp_path):
    assert tuned(saved(tmp_path / "model", pooling, *more)) == Tuned(weights, beyond)


@pytest.mark.parametrize("content", ["", "{", "{}", "[1]", "[" * 100_000, '[{"type": 5}]'])
def test_what_can_not_be_read_stands_for_the_mean(content, tmp_path):
    (tmp_path / "modules.json").write_text(content)
    assert tuned(tmp_path) == Tuned()


TEXTS = ["a cat", "the dog sat on the mat", "cat"]


@pytest.mark.parametrize(("pooling", "weights"), [("cls", "first"), ("lasttoken", "last"), ("mean", "mean+specials")])
def test_without_weights_a_model_gives_what_sentence_transformers_gives(pooling, weights, tiny_bert_dir, tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling
    from sentence_transformers.sentence_transformer.modules import Transformer as Module

    module = Module(str(tiny_bert_dir))
    made = SentenceTransformer(modules=[module, Pooling(module.get_embedding_dimension(), pooling)], device="cpu")
    folder = tmp_path / "model"
    made.save(str(folder), create_model_card=False)
    given = None if pooling != "mean" else weights  # its mean counts [CLS] and [SEP]
    found = Embedder(str(folder), weights=given).encode(TEXTS)
    np.testing.assert_allclose(found, made.encode(TEXTS), atol=2e-6)
    if given is None:
        assert found.tolist() == Embedder(Transformer(folder), weights=weights).encode(TEXTS).tolist()


@pytest.fixture
def tuned_dir(tiny_bert_dir, tmp_path):
    return saved(Path(shutil.copytree(tiny_bert_dir, tmp_path / "model")), OLD_CLS, "Dense")


def test_templates_poolings_and_mixes_are_not_what_it_was_tuned_with(tuned_dir):
    plain = Transformer(tuned_dir)
    assert (plain.usual_weights, plain.tuned_weights) == ("first", "first")
    templated = Transformer(tuned_dir, template="T4")
    assert (templated.usual_weights, templated.tuned_weights) == ("mask", "mean")
    pooled = Recipe.parse(f"{tuned_dir} | none | last | mean | none | pooling max").make_encoder()
    assert (pooled.usual_weights, pooled.tuned_weights) == ("mean", "mean")
    mixed = Mix(plain, Random(tuned_dir, dims=plain.width(plain.n_layers)), 0.5)
    assert (mixed.usual_weights, mixed.tuned_weights) == ("mean", "mean")


def test_names_of_recipes_stand_for_the_token_that_it_was_tuned_with(tuned_dir, tmp_path):
    for name in ("plain", "similarity", "clustering"):
        assert str(Recipe.named_for(name, Transformer(tuned_dir))).split(" | ")[3] == "first"
    Embedder(str(tuned_dir)).save(tmp_path / "saved")
    assert Embedder.load(tmp_path / "saved").recipe.weights.name == "First"


def test_what_is_left_out_is_said(tuned_dir, caplog):
    Embedder(Transformer(tuned_dir)).encode(["a cat"])
    assert "tuned with a Dense layer, which is left out here; sentence-transformers runs it" in caplog.text
    caplog.clear()
    Embedder(Transformer(tuned_dir), weights="idf").fit(TEXTS * 20)
    assert not caplog.text


def test_info_says_what_it_was_tuned_for(tuned_dir):
    told = CliRunner().invoke(attar, ["info", "--model", str(tuned_dir)]).output
    assert "its first token alone" in told
    assert "a Dense layer, with which it was tuned" in told
