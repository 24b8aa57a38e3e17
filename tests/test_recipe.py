"""A recipe as plain data."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.preprocessing import FunctionTransformer

from attar import Embedder, Recipe
from attar.embedder import open_embedder
from attar.errors import InputError, RecipeError
from attar.recipe import NAMED, Corpus, FittedOn, Sampled
from attar.shapers import AllButTheTop, Quantile, Unit, Whiten, ZScore
from attar.weights import Debiased, Idf, Mean, Sif

EMBEDDERS = {
    "plain": {},
    "layers": {"layers": ("first", 2, "last"), "weights": Idf(on="background", specials=True)},
    "one layer": {"layers": np.int64(2), "weights": Sif(a=0.01)},
    "weighted layers": {"layers": {0: 0.25, "last": 0.75}, "weights": Debiased(subwords=False)},
    "shapers": {"shapers": [ZScore(on="background"), Whiten(5), AllButTheTop(2), Quantile("normal"), Unit()]},
}


@pytest.mark.parametrize("settings", EMBEDDERS.values(), ids=EMBEDDERS)
def test_through_json_and_back(tiny_bert, settings):
    recipe = Embedder(tiny_bert, **settings).recipe
    data = json.loads(json.dumps(recipe.to_json()))
    again = Recipe.from_json(data)
    assert again == recipe
    assert again.id == recipe.id
    made = Embedder.from_recipe(again)
    assert made.recipe == recipe
    assert [type(s) for s in made.shapers] == [type(s) for s in settings.get("shapers", [])]
    assert made.weights.get_params() == settings.get("weights", Mean()).get_params()


def test_the_id_tells_recipes_apart_but_not_what_they_were_fitted_on(tiny_bert):
    one = Embedder(tiny_bert, weights=Idf())
    ids = {
        one.recipe.id,
        Embedder(tiny_bert, weights=Idf(specials=True)).recipe.id,
        Embedder(tiny_bert, weights=Idf(), layers=1).recipe.id,
        Embedder(tiny_bert, weights=Idf(), shapers=[Unit()]).recipe.id,
    }
    assert len(ids) == 4
    assert one.fit(["a cat"]).recipe.id == one.recipe.id in ids
    assert len(one.recipe.id) == 16


def test_the_revision_tells_fits_apart_too(tiny_bert):
    new, one, same, other = (Embedder(tiny_bert, shapers="zscore") for _ in range(4))
    assert new.recipe.revision == new.recipe.id
    assert one.fit(["a", "b"]).recipe.revision == same.fit(["a", "b"]).recipe.revision
    assert len({new.recipe.revision, one.recipe.revision, other.fit(["a", "c"]).recipe.revision}) == 3


def test_a_corpus_is_known_by_its_texts_in_order():
    corpus = Corpus.of(["a", "b"])
    assert corpus == Corpus(2, hashlib.sha256(b"a\0b\0").hexdigest())
    assert Corpus.of(["b", "a"]) != corpus != Corpus.of(["ab"])
    assert corpus.then(Corpus.of(["c"])).texts == 3


def test_fitted_on_grows_with_each_part():
    fitted = FittedOn().with_target(["a"]).with_target(["b", "c"])
    assert fitted.target is not None
    assert fitted.target.texts == 3
    assert fitted.background is None
    assert fitted.with_background(["x"]).background == Corpus.of(["x"])
    assert fitted.with_background(None) == fitted


def test_an_account_of_a_sample_is_kept_and_may_be_missing(tiny_bert):
    recipe = Embedder(tiny_bert).fit(["a cat"]).recipe
    sampled = Sampled("bottom-k", 10, 30, 0.1, 0.99)
    made = replace(recipe, fitted_on=FittedOn(Corpus(30, "ab", sampled), Corpus.of(["x"])))
    assert Recipe.from_json(json.loads(json.dumps(made.to_json()))) == made
    old = made.to_json()
    del old["fitted_on"]["target"]["sampled"], old["fitted_on"]["background"]["sampled"]
    assert Recipe.from_json(old).fitted_on == FittedOn(Corpus(30, "ab"), Corpus.of(["x"]))
    old["fitted_on"]["target"]["sampled"] = [5]
    with pytest.raises(RecipeError, match=r"an account of a sample of the recipe should be a dict; found \[5\]"):
        Recipe.from_json(old)


@pytest.mark.parametrize("name", [name for name in NAMED if Recipe.named(name).template is None])
def test_named_recipes(tiny_bert, name):
    texts = ["the cat sat", "a dog ran", "red music", "blue mat"]
    embedder = Embedder.from_recipe(name, tiny_bert)
    assert embedder.fit_transform(texts).shape == (4, 16)
    assert Recipe.named(name).encoder["model"] == "default"


def test_an_unknown_named_recipe():
    with pytest.raises(InputError, match="did you mean 'clustering'"):
        Recipe.named("clusterin")


def test_parameters_that_json_can_not_hold(tiny_bert):
    assert Embedder(tiny_bert, weights=Sif(a=np.float32(0.5))).recipe.weights.params["a"] == 0.5
    with pytest.raises(RecipeError, match="parameters that JSON can't hold"):
        Embedder(tiny_bert, shapers=[FunctionTransformer(np.abs)]).recipe  # noqa: B018


@pytest.mark.parametrize("layers", [1.5, (True,), None, ("middle",)])
def test_layers_that_are_none_make_no_recipe(tiny_bert, layers):
    with pytest.raises(InputError, match="is not a number"):
        Embedder(tiny_bert, layers=layers).recipe  # noqa: B018


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: d.update(format=2), "not a recipe of format 1: 2"),
        (lambda d: d.pop("format"), "not a recipe of format 1: None"),
        (lambda d: d.pop("layers"), "damaged"),
        (lambda d: d.update(layers="last"), "layers of the recipe should be a list"),
        (lambda d: d.update(layers=[["last"]]), "damaged"),
        (lambda d: d.update(layers=[[True, None]]), "True"),
        (lambda d: d.update(layers=[["middle", None]]), "middle"),
        (lambda d: d.update(layers=[[1, "x"]]), "'x'"),
        (lambda d: d.update(layers=[[1, float("nan")]]), "nan"),
        (lambda d: d.update(encoder=[]), "encoder of the recipe should be a dict"),
        (lambda d: d.update(weights=None), "a part of the recipe should be a dict"),
        (lambda d: d.update(weights={"name": 5, "params": {}}), "a name of the recipe should be a str"),
        (lambda d: d.update(weights={"name": "Idf"}), "damaged"),
        (lambda d: d.update(shapers={}), "shapers of the recipe should be a list"),
        (lambda d: d.update(shapers=["zscore"]), "a part of the recipe should be a dict"),
        (lambda d: d.update(fitted_on=5), "fitted_on of the recipe should be a dict; found 5"),
        (lambda d: d.update(fitted_on={"target": None}), "damaged"),
        (lambda d: d.update(fitted_on={"target": {"texts": "3", "sha256": ""}, "background": None}), "number of texts"),
    ],
)
def test_damaged_data_is_refused(tiny_bert, change, told):
    data = Embedder(tiny_bert, weights=Idf(), shapers=[ZScore()]).fit(["a cat", "dog"]).recipe.to_json()
    change(data)
    with pytest.raises(RecipeError, match=told):
        Recipe.from_json(data)


@pytest.mark.parametrize("data", [None, [], "recipe", 1])
def test_what_is_no_object(data):
    with pytest.raises(RecipeError, match="not a recipe of format 1"):
        Recipe.from_json(data)


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"name": "Idff", "params": {}}, "unknown weights 'Idff'.*did you mean 'Idf'"),
        ({"name": "../../Idf", "params": {}}, "unknown weights"),
        ({"name": "BaseEstimator", "params": {}}, "unknown weights"),
        ({"name": "Idf", "params": {"specials": "yes"}}, "neither True nor False"),
        ({"name": "Idf", "params": {"on": "/etc/passwd"}}, "unknown texts to fit on"),
        ({"name": "Idf", "params": {"on": ["target"]}}, "unknown texts to fit on"),
        ({"name": "Sif", "params": {"a": -1}}, "a=-1"),
        ({"name": "Mean", "params": {"colour": "red"}}, "Mean can't be made from"),
    ],
)
def test_weights_that_can_not_be_made(tiny_bert, part, told):
    data = Embedder(tiny_bert).recipe.to_json() | {"weights": part}
    with pytest.raises(RecipeError, match=told):
        Recipe.from_json(data).make_weights()


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"name": "PCA", "params": {}}, "unknown shaper 'PCA'"),
        ({"name": "Whiten", "params": {"n_components": "many"}}, "Whiten can't be made"),
        ({"name": "Quantile", "params": {"output": "odd"}}, "Quantile can't be made"),
        ({"name": "ZScore", "params": {"with": 1}}, "ZScore can't be made"),
    ],
)
def test_shapers_that_can_not_be_made(tiny_bert, part, told):
    data = Embedder(tiny_bert).recipe.to_json() | {"shapers": [part]}
    with pytest.raises(RecipeError, match=told):
        Recipe.from_json(data).make_shapers()


@pytest.mark.parametrize(
    ("encoder", "told"),
    [
        ({}, "unknown encoder type None"),
        ({"type": "os.system"}, "unknown encoder type 'os.system'"),
        ({"type": ["transformer"]}, "unknown encoder type"),
        ({"type": "transformer"}, "damaged: KeyError"),
    ],
)
def test_encoders_that_can_not_be_made(tiny_bert, encoder, told):
    data = Embedder(tiny_bert).recipe.to_json() | {"encoder": encoder}
    with pytest.raises(RecipeError, match=told):
        Recipe.from_json(data).make_encoder()


def test_names_mean_the_plain_mean_of_a_tuned_model(tiny_bert_dir, tmp_path):
    import shutil

    from attar import Transformer

    tuned = shutil.copytree(tiny_bert_dir, tmp_path / "tuned")
    (tuned / "modules.json").write_text("[]")
    for name in set(NAMED) - {"plain", "classification"}:
        assert str(Embedder.from_recipe(name, Transformer(tuned)).recipe).endswith("| none | last | mean | unit")
    for name in ("plain", "classification"):
        assert str(Embedder.from_recipe(name, Transformer(tuned)).recipe).endswith("| none | last | mean | none")
    assert Embedder.from_recipe("similarity", Transformer(tiny_bert_dir)).recipe.shape == "zscore,unit"
    assert open_embedder("similarity", str(tuned)).recipe.shape == "unit"
    assert open_embedder("similarity", str(tiny_bert_dir)).needs_fit
    assert open_embedder("similarity").recipe.shape == "unit"  # the embedded model is tuned
