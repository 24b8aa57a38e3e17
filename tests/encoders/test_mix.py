"""Mix: by hand, linear in w, one pass for all w, and sides that do not fit."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import Knowing, few_vectors, few_words

import tiny_models
from attar import Embedder, Mix, Random, Table, Transformer
from attar.encoders.mix import blend
from attar.errors import InputError, ModelError
from attar.pooling import pool_texts
from attar.types import Encoder
from attar.weights import Idf, Mean

TEXTS = ["the cat sat", "dog", "", "the the ran"]


def sides() -> tuple[Table, Table]:
    return tuple(Table({1: few_vectors(3, s), 2: few_vectors(3, s + 9)}, few_words()) for s in (0, 1))


def test_by_hand():
    a, b = sides()
    mix = Mix(a, b, w=0.25)
    assert isinstance(mix, Encoder)
    tokens = mix.tokenize(["dog"])
    vectors = mix.token_vectors(tokens, (2,))[2]
    np.testing.assert_allclose(vectors[0], 0.75 * few_vectors(3, 9)[8] + 0.25 * few_vectors(3, 10)[8], atol=1e-6)


@settings(max_examples=15, deadline=None)
@given(st.floats(-3, 3, allow_subnormal=False))
def test_any_weight_is_linear_after_pooling(w):
    a, b = sides()
    found = Mix(a, b, w).encode(TEXTS, layers=(1, 2))
    np.testing.assert_allclose(found, (1 - w) * a.encode(TEXTS) + w * b.encode(TEXTS), atol=1e-5)


def test_weights_and_layers_of_the_embedder():
    a, b = sides()
    mixed, left, right = (
        Embedder(side, layers={1: 0.3, 2: 0.7}, weights=Idf()).fit(TEXTS).encode(TEXTS)
        for side in (Mix(a, b, -0.5), a, b)
    )
    np.testing.assert_allclose(mixed, 1.5 * left - 0.5 * right, atol=1e-5)


def test_a_range_of_weights_costs_one_pass():
    knowing = Knowing()
    table = Table(np.zeros((2, 10, 3)) + 1, few_words())
    mix = Mix(knowing, table)
    tokens = mix.tokenize(TEXTS)
    token_weights = np.ones((1, len(tokens.ids)), dtype=np.float32)
    left, right = mix.pool_sides(tokens, token_weights, (1, 2))
    assert knowing.calls == 1
    for w in (-1.0, 0.0, 0.5, 1.0):
        wanted = Mix(knowing, table, w).pool(tokens, token_weights, (1, 2))
        np.testing.assert_allclose(blend(left, right, w), wanted, atol=1e-5)


def test_a_side_of_weight_0_is_not_run():
    knowing = Knowing()
    table = Table(np.ones((2, 10, 3)), few_words())
    Mix(knowing, table, w=1).encode(TEXTS)
    assert knowing.calls == 0


def test_tokens_are_those_of_the_first_side():
    knowing = Knowing()
    mix = Mix(knowing, Table(np.ones((2, 10, 3)), few_words()))
    assert mix.tokenize(["cat"]).ids.tolist() == [2, 6, 3]  # framed, as the first side does it
    pooled = pool_texts(mix, ["cat"], [Mean(specials=True)], (2,))
    np.testing.assert_allclose(pooled.vectors[0, 0, 0], (np.array([11 / 3, 1, 23]) + 1) / 2, rtol=1e-6)


def test_layers_that_both_have():
    a = Table(np.ones((3, 10, 2)), few_words(), layers=(1, 2, 3))
    b = Table(np.ones((2, 10, 2)), few_words(), layers=(2, 5))
    mix = Mix(a, b)
    assert (mix.first_layer, mix.n_layers) == (2, 3)
    np.testing.assert_array_equal(mix.encode(["dog"], layers=[2]), [[1, 1]])
    with pytest.raises(InputError, match=r"it holds \[2, 5\]"):
        mix.encode(["dog"], layers=[3])


def test_sides_that_do_not_fit():
    table = Table(few_vectors(), few_words())
    with pytest.raises(ModelError, match=r"same vocabulary; these have 10 and \d+ tokens"):
        Mix(table, Random(tiny_models.wordpiece(), dims=2)).encode(["cat"])
    other = few_words()
    other.add_tokens(["bird"])
    with pytest.raises(ModelError, match="10 and 11 tokens"):
        Mix(table, Random(other, dims=2)).tokenize(["cat"])
    with pytest.raises(ModelError, match="2 wide on one side of the mix and 3 on the other"):
        Mix(table, Random(few_words(), dims=3)).encode(["cat"])


@pytest.mark.parametrize("w", [float("nan"), float("inf"), "0.5", None, True])
def test_weights_that_are_none(w):
    with pytest.raises(InputError, match="is not a weight"):
        Mix(*sides(), w=w)


def test_save_and_load(tmp_path):
    a, b = sides()
    mix = Mix(a, b, w=0.3)
    mix.save(tmp_path / "mix")
    again = Mix.load(tmp_path / "mix")
    np.testing.assert_array_equal(again.encode(TEXTS), mix.encode(TEXTS))
    assert again.spec() == mix.spec()
    assert copy.deepcopy(mix) is mix


def test_a_recipe_of_a_transformer_and_its_average(tmp_path):
    bert = Transformer(tiny_models.bert(tmp_path / "bert"))
    avg = Table.average(bert, ["the cat sat", "a dog ran on the mat"], layers=(1, 3), progress=False)
    embedder = Embedder(Mix(bert, avg), layers=(1, 3))
    wanted = embedder.encode(TEXTS)
    halves = [Embedder(side, layers=(1, 3)).encode(TEXTS[:2]) for side in (bert, avg)]
    np.testing.assert_allclose(wanted[:2], np.mean(halves, axis=0), atol=1e-5)
    embedder.save(tmp_path / "recipe")
    np.testing.assert_allclose(Embedder.load(tmp_path / "recipe").encode(TEXTS), wanted, atol=1e-6)
    assert not (tmp_path / "recipe" / "encoder" / "a").exists()  # the transformer is only referred to


@pytest.mark.parametrize("changes", [{"format": 9}, {"a": None}, {"w": "x"}, {"b": {"type": "nothing"}}])
def test_damaged_folders_are_refused(tmp_path, changes):
    Mix(*sides()).save(tmp_path / "mix")
    path = tmp_path / "mix" / "mix.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(ValueError, match=r"mix\.json|encoder type"):
        Mix.load(tmp_path / "mix")
