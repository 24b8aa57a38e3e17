"""A recipe as text, and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attar import Embedder, Mix, Recipe, Table, Transformer
from attar.errors import InputError, RecipeError
from attar.persist import find_recipe, is_recipe, is_saved
from attar.recipe import NAMED
from attar.shapers import MEMBERS as SHAPERS
from attar.weights import MEMBERS as WEIGHTS

FULL = "some/hub-model | T4 | 1:0.25,last:0.75 | idf@background | abtt:1,unit | mix 0.5 | max-tokens 64"


def test_by_hand():
    recipe = Recipe.parse(FULL)
    assert (recipe.model, recipe.mix, recipe.shape) == ("some/hub-model", 0.5, "abtt:1,unit")
    assert recipe.template is not None
    assert recipe.template.name == "T4"
    assert recipe.layers == ((1, 0.25), ("last", 0.75))
    assert recipe.weights.text == "idf@background"
    assert recipe.encoder["a"]["max_tokens"] == 64
    assert str(recipe) == FULL
    assert Recipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe


def test_what_is_left_out_at_the_end_is_plain():
    assert str(Recipe.parse("m | none")) == "m | none | last | mean | none"
    assert Recipe.parse("default | none") == Recipe.named("plain") == Recipe.parse(" plain ")


def test_ids_are_those_of_the_version_before():
    ids = {
        "plain": "b6b963c686b7c6b3",
        "similarity": "653373788914b0a0",
        "clustering": "31b4e5065241f964",
        "classification": "8121e34f6e53668d",
        "some/hub-model | T4 | 1:0.25,last:0.75 | idf@background | abtt:1,unit | max-tokens 64": "b5df14f19051c8d4",
    }
    assert {text: Recipe.parse(text).id for text in ids} == ids


layer = st.integers(-1, 99) | st.sampled_from(["first", "last"])
template = st.none() | st.sampled_from(["T0", "T4"]) | st.tuples(st.text(max_size=9), st.text(max_size=9))
settings = st.fixed_dictionaries(
    {},
    optional={
        "max_tokens": st.integers(1, 512),
        "windows": st.integers(0, 99),
        "revision": st.text("abc123", min_size=1),
        "precision": st.sampled_from(["float64", "int8"]),
    },
)


@st.composite
def recipes(draw):
    words = draw(template)
    words = "[X]".join(word.replace("[", "") for word in words) if isinstance(words, tuple) else words  # no [X], no [+]
    if words is not None and words.count("[X]") > 1:
        words = "[X]"
    encoder = Transformer("owner/model", words, **draw(settings))
    layers = draw(
        st.lists(layer, min_size=1, max_size=3, unique=True)
        | st.dictionaries(layer, st.floats(-10, 10), min_size=1, max_size=3)
    )
    weighting = draw(st.sampled_from(sorted(WEIGHTS)))
    shaping = draw(st.lists(st.sampled_from(sorted(SHAPERS)), max_size=3))
    made = Embedder(encoder, layers, weighting, shaping).recipe
    mix = draw(st.none() | st.floats(-2, 2))
    return made if mix is None else made.mixed(mix)


@given(recipes())
def test_the_text_of_any_recipe_parses_back(recipe):
    again = Recipe.parse(str(recipe))
    assert again == recipe
    assert (again.id, str(again), hash(again)) == (recipe.id, str(recipe), hash(recipe))


@pytest.mark.parametrize(
    "words",
    ['"[X]" means [MASK].', "a | [X]", " [X] ", '"[X]"', "[X]\nmeans", '\\"[X]|"'],
)
def test_templates_that_need_quotes(words):
    recipe = Recipe.parse(f"m | {json.dumps(words)} | last")
    assert recipe.template is not None
    assert recipe.template.text == words
    assert Recipe.parse(str(recipe)) == recipe


def test_a_quote_at_the_beginning_alone_needs_none():
    recipe = Recipe.parse('m | "[X]" means [MASK]. | last')
    assert recipe.template is not None
    assert recipe.template.text == '"[X]" means [MASK].'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("m |", "has an empty field"),
        ("m | | last", "has an empty field"),
        ("m | T9", "unknown template 'T9'"),
        ("m | none | middle", "'middle' is not a number"),
        ("m | none | last | iddf", "did you mean 'idf'"),
        ("m | none | last | idf | zscor", "did you mean 'zscore'"),
        ("m | none | last | idf | none | mix", "the setting 'mix' has no value"),
        ("m | none | last | idf | none | mix much", "can't read 'mix much'"),
        ("m | none | last | idf | none | mix 0.5 of it", "can't read 'mix 0.5 of it'"),
        ("m | none | last | idf | none | mix nan", "can't read 'mix nan'"),
        ("m | none | last | idf | none | mix 1 | mix 2", "the setting 'mix' is there twice"),
        ("m | none | last | idf | none | max-token 5", "did you mean 'max-tokens'"),
        ("(table 0123) | none | last", "has no name to open it by"),
        ("similarty", "did you mean 'similarity'"),
    ],
)
def test_mistakes_are_explained(text, told):
    with pytest.raises(InputError, match=told):
        Recipe.parse(text)


@pytest.fixture(scope="module")
def table(tiny_bert, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables") / "table"
    made = Table.average(tiny_bert, ["the cat sat", "a dog ran"], (1, 3), progress=False)
    made.save(folder)
    return folder


def test_static_models_by_name(table, tiny_bert, tiny_bert_dir):
    recipe = Recipe.parse(f"{table} | none | 1,3 | mean")
    assert str(recipe) == f"{table} | none | 1,3 | mean | none"
    assert Embedder.from_recipe(recipe).encode(["a cat"]).shape == (1, 16)
    assert Embedder.from_recipe(recipe).recipe.model.startswith("(table ")
    mixed = Recipe.parse(f"{tiny_bert_dir} | none | 1,3 | mean | none | mix 0.25 with {table}")
    assert Recipe.parse(str(mixed)) == mixed
    wanted = Embedder(Mix(tiny_bert, Table.load(table), 0.25), (1, 3)).encode(["a cat"])
    assert (Embedder.from_recipe(mixed).encode(["a cat"]) == wanted).all()


def test_average_is_made_from_a_background_corpus(tiny_bert, tiny_bert_dir):
    recipe = Recipe.parse(f"{tiny_bert_dir} | T0 | first,last | mean | none | mix 0.5")
    with pytest.raises(InputError, match="which is made from a background corpus"):
        recipe.make_encoder()
    corpus = ["the cat sat", "a dog ran"]
    average = Table.average(tiny_bert, corpus, (1, 3), progress=False)
    wanted = Embedder(Mix(Transformer(tiny_bert_dir, "T0"), average, 0.5), (1, 3)).encode(["a cat"])
    assert (Embedder.from_recipe(recipe, recipe.make_encoder(corpus)).encode(["a cat"]) == wanted).all()


def test_named_recipes_are_texts():
    for name, (text, purpose) in NAMED.items():
        assert str(Recipe.named(name)) == text
        assert purpose


def test_what_is_a_saved_recipe(tiny_bert, tiny_bert_dir, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Embedder(tiny_bert).save(tmp_path / "mine")
    (tmp_path / "empty").mkdir()
    assert [is_saved(name) for name in ("mine", "./mine", "empty", "plain", str(tiny_bert_dir))] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert [is_recipe(name) for name in ("mine", "plain", "m | none", "empty", str(tiny_bert_dir))] == [
        True,
        True,
        True,
        False,
        False,
    ]
    (tmp_path / "mine").rename("plain")  # a folder goes before a name
    assert find_recipe("plain") == (tmp_path / "plain").relative_to(tmp_path)
    for missing in ("./nope", "empty"):
        with pytest.raises(RecipeError, match=r"has no recipe\.json"):
            find_recipe(missing)
