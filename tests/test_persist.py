"""Saving and loading: the same vectors, and nothing else."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from attar import Embedder, Mix, Random, Transformer, persist
from attar.errors import OutputError, RecipeError
from attar.shapers import AllButTheTop, Center, Quantile, Robust, Unit, Whiten, ZScore
from attar.weights import Debiased, Idf, Mask, Sif

TEXTS = ["the cat sat on the mat", "a dog ran", "music: red, blue", "walk to the river", "play, man", "seven"]
OTHER = ["a blue tree", "", "the dog sat"]
SETTINGS = {
    "nothing learned": {},
    "layers": {"layers": {"first": 0.3, 3: 0.7}},
    "idf": {"layers": ("first", "last"), "weights": Idf()},
    "sif, abtt, unit": {"weights": Sif(), "shapers": [AllButTheTop(1), Unit()]},
    "debiased, robust, center": {"weights": Debiased(), "shapers": [Robust(), Center()]},
    "zscore, quantile": {"shapers": [ZScore(), Quantile()]},
    "whiten, quantile normal": {"shapers": [Whiten(3), Quantile("normal")]},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_round_trip(tiny_bert, tmp_path, settings):
    embedder = Embedder(tiny_bert, **settings).fit(TEXTS)
    embedder.save(tmp_path / "saved")
    loaded = Embedder.load(tmp_path / "saved")
    np.testing.assert_array_equal(loaded.encode(TEXTS + OTHER), embedder.encode(TEXTS + OTHER))
    assert loaded.recipe == embedder.recipe
    assert loaded.fitted_on_ == embedder.fitted_on_
    loaded.save(tmp_path / "again")
    for name in ("recipe.json", "state.safetensors", "README.md"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "saved" / name).read_bytes()


def test_template_limit_and_windows_are_kept(tiny_bert_dir, tmp_path):
    encoder = Transformer(tiny_bert_dir, template="T2", max_tokens=30, windows=2)
    embedder = Embedder(encoder, weights=Mask())
    embedder.save(tmp_path / "saved")
    long = ["the cat sat " * 20, "dog"]
    np.testing.assert_array_equal(Embedder.load(tmp_path / "saved").encode(long), embedder.encode(long))


def test_what_is_in_the_folder(tiny_bert, tmp_path):
    Embedder(tiny_bert, weights=Idf(), shapers=[ZScore()]).fit(TEXTS).save(tmp_path / "saved")
    assert sorted(p.name for p in (tmp_path / "saved").iterdir()) == ["README.md", "recipe.json", "state.safetensors"]
    readme = (tmp_path / "saved" / "README.md").read_text()
    assert "| none | last | idf | zscore`" in readme
    assert "Fitted on: 6 texts" in readme
    recipe = json.loads((tmp_path / "saved" / "recipe.json").read_text())
    assert recipe["format"] == 1
    assert recipe["fitted_on"]["target"]["texts"] == 6


def test_an_unfitted_embedder_that_needs_none_is_saved_as_such(tiny_bert, tmp_path):
    Embedder(tiny_bert).save(tmp_path / "saved")
    loaded = Embedder.load(tmp_path / "saved")
    assert not hasattr(loaded, "fitted_on_")
    assert loaded.encode(TEXTS).shape == (6, 16)


def test_the_default_model_is_saved_by_name(tmp_path):
    Embedder().save(tmp_path / "saved")
    assert json.loads((tmp_path / "saved" / "recipe.json").read_text())["encoder"]["model"] == "default"
    np.testing.assert_array_equal(Embedder.load(tmp_path / "saved").encode("cat"), Embedder().encode("cat"))


def test_unfitted_is_not_saved(tiny_bert, tmp_path):
    from attar.errors import NotFittedError

    with pytest.raises(NotFittedError):
        Embedder(tiny_bert, weights=Idf()).save(tmp_path / "saved")
    assert list(tmp_path.iterdir()) == []


def test_shapers_of_others_are_not_pickled(tiny_bert, tmp_path):
    from sklearn.preprocessing import StandardScaler

    embedder = Embedder(tiny_bert, shapers=[StandardScaler()]).fit(TEXTS)
    with pytest.raises(RecipeError, match="StandardScaler can't be saved without pickle"):
        embedder.save(tmp_path / "saved")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_moved_can_be_named(tiny_bert_dir, tmp_path):
    first = shutil.copytree(tiny_bert_dir, tmp_path / "first")
    embedder = Embedder(Transformer(first), weights=Idf()).fit(TEXTS)
    embedder.save(tmp_path / "saved")
    wanted = embedder.encode(TEXTS)
    first.rename(tmp_path / "second")
    loaded = Embedder.load(tmp_path / "saved", encoder=Transformer(tmp_path / "second"))
    np.testing.assert_array_equal(loaded.encode(TEXTS), wanted)


def test_a_model_that_moved_keeps_the_recipe_s_settings(tiny_bert_dir, tmp_path):
    settings = {"template": "T0", "max_tokens": 20, "precision": "float64"}
    embedder = Embedder(Transformer(tiny_bert_dir, **settings), weights=Idf()).fit(TEXTS)
    embedder.save(tmp_path / "saved")
    second = shutil.copytree(tiny_bert_dir, tmp_path / "second")
    loaded = Embedder.load(tmp_path / "saved", encoder=persist.moved_encoder(tmp_path / "saved", str(second)))
    assert loaded.encoder_.name == str(second)
    assert loaded.encoder_.precision == "float64"
    np.testing.assert_array_equal(loaded.encode(TEXTS), embedder.encode(TEXTS))


def test_a_stand_in_that_reads_texts_otherwise(tiny_bert_dir, tmp_path):
    Embedder(Transformer(tiny_bert_dir, template="[X] means [MASK].")).save(tmp_path / "saved")
    with pytest.raises(RecipeError, match=r"its template is None, the recipe's '\[X\] means \[MASK\].'"):
        Embedder.load(tmp_path / "saved", encoder=Transformer(tiny_bert_dir))
    mix = Mix(Transformer(tiny_bert_dir), Random(tiny_bert_dir, dims=16))
    Embedder(mix, layers=1).save(tmp_path / "mixed")
    with pytest.raises(RecipeError, match="its type is 'transformer', the recipe's 'mix'"):
        Embedder.load(tmp_path / "mixed", encoder=Transformer(tiny_bert_dir))
    with pytest.raises(RecipeError, match=r"its w is 0\.25, the recipe's 0\.5"):
        Embedder.load(tmp_path / "mixed", encoder=Mix(mix.a, mix.b, w=0.25))
    other = Mix(Transformer(tiny_bert_dir, max_tokens=9), mix.b)
    with pytest.raises(RecipeError, match="its max_tokens is 9"):
        Embedder.load(tmp_path / "mixed", encoder=other)


def test_fitting_a_loaded_embedder_anew(tiny_bert, tmp_path):
    Embedder(tiny_bert, weights=Idf(), shapers=[ZScore()]).fit(TEXTS).save(tmp_path / "saved")
    loaded = Embedder.load(tmp_path / "saved").fit(OTHER)
    wanted = Embedder(tiny_bert, weights=Idf(), shapers=[ZScore()]).fit(OTHER)
    np.testing.assert_array_equal(loaded.encode(TEXTS), wanted.encode(TEXTS))


# Writing


def test_a_folder_that_exists(tiny_bert, tmp_path):
    (tmp_path / "saved").mkdir()
    embedder = Embedder(tiny_bert)
    with pytest.raises(OutputError, match="it exists"):
        embedder.save(tmp_path / "saved")
    embedder.save(tmp_path / "saved", overwrite=True)
    assert (tmp_path / "saved" / "recipe.json").is_file()


@pytest.mark.parametrize("target", ["no/such/place", "file/inside", "/proc/attar-recipe"])
def test_a_place_that_can_not_be_written(tiny_bert, tmp_path, target):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="can't write") as raised:
        Embedder(tiny_bert).save(tmp_path / target)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("at", ["save_file", "_readme", "_sha256"])
def test_an_interrupted_write_leaves_nothing(tiny_bert, tmp_path, monkeypatch, failure, at):
    def fail(*_):
        raise failure

    monkeypatch.setattr(persist, at, fail)
    with pytest.raises(KeyboardInterrupt if failure is KeyboardInterrupt else OutputError):
        Embedder(tiny_bert).save(tmp_path / "saved")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_as_safetensors_tells_it(tiny_bert, tmp_path, monkeypatch):
    def fail(*_):
        raise persist.SafetensorError("I/O error: No space left on device")

    monkeypatch.setattr(persist, "save_file", fail)
    with pytest.raises(OutputError, match="No space left"):
        Embedder(tiny_bert).save(tmp_path / "saved")
    assert list(tmp_path.iterdir()) == []
