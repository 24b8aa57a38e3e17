"""Layers side by side: along the path, under weights and shapers, in recipes, saved; refused where there is one."""

from __future__ import annotations

import numpy as np
import pytest

from attar import Embedder, Pooled, Recipe, SideBySide, Table, Transformer
from attar.encoders.cached import Cached
from attar.errors import InputError, RecipeError
from attar.persist import moved_encoder
from encoders.small_tables import Knowing

TEXTS = ["the cat ran", "a dog sat on the mat", "seven trees", "blue light", "the", ""]


@pytest.mark.parametrize("weights", ["mean", "idf"])
def test_is_each_layer_beside_the_other(tiny_bert: Transformer, weights: str) -> None:
    found = Embedder(SideBySide(tiny_bert, (1, 3)), weights=weights).fit_transform(TEXTS)
    alone = [Embedder(tiny_bert, layer, weights=weights).fit_transform(TEXTS) for layer in (1, 3)]
    np.testing.assert_allclose(found, np.hstack(alone), atol=1e-6)


def test_by_hand() -> None:
    """The vector of a token at layer k is (id, place, 10 k + length); of "the cat", ids 5 and 6 at places 1 and 2."""
    found = Embedder(SideBySide(Knowing(), (2, 0))).fit_transform(["the cat"])
    np.testing.assert_allclose(found, [[5.5, 1.5, 24, 5.5, 1.5, 4]])


def test_layers_of_different_width_can_stand_side_by_side() -> None:
    """They can't be averaged."""
    made = SideBySide(Knowing(token_table=5), (-1, 1))
    assert made.width(1) == 8
    assert Embedder(made).fit_transform(["the cat"]).shape == (1, 8)


def test_tokens_and_batches_agree(tiny_bert: Transformer) -> None:
    made = SideBySide(tiny_bert, "first,last")
    tokens = made.tokenize(TEXTS)
    whole = made.token_vectors(tokens, [1])[1]
    found = np.zeros_like(whole)

    def visit(_number: int, places: np.ndarray, _layer: int, vectors: np.ndarray) -> None:
        found[places] = vectors

    made.each_batch(tokens, [1], visit)
    np.testing.assert_allclose(found, whole, atol=1e-6)


def test_shapers_see_all_dims(tiny_bert: Transformer) -> None:
    found = Embedder(SideBySide(tiny_bert), shapers="zscore").fit_transform(
        TEXTS * 20,
    )
    assert found.shape[1] == 2 * tiny_bert.width(1)
    np.testing.assert_allclose(found.std(axis=0), 1, atol=1e-3)


def test_recipe_as_text_and_folder(tiny_bert_dir, tmp_path) -> None:
    text = f"{tiny_bert_dir} | T0 | last | idf | zscore | side-by-side first,last"
    recipe = Recipe.parse(text)
    assert str(recipe) == text
    assert recipe.wrapping == ("side_by_side", "first,last")
    assert recipe.pooling is None
    assert Recipe.from_json(recipe.to_json()) == recipe
    assert "side-by-side" not in str(Recipe.parse(str(recipe)).pooled(None))
    embedder = Embedder.from_recipe(recipe)
    vectors = embedder.fit_transform(TEXTS * 10)
    embedder.save(tmp_path / "saved")
    np.testing.assert_array_equal(Embedder.load(tmp_path / "saved").encode(TEXTS), vectors[: len(TEXTS)])
    moved = moved_encoder(tmp_path / "saved", str(tiny_bert_dir))
    assert isinstance(moved, SideBySide)
    assert moved.fingerprint == embedder.encoder_.fingerprint


def test_mixed_with_avg_of_the_same_layers(tiny_bert_dir) -> None:
    recipe = Recipe.parse(f"{tiny_bert_dir} | none | last | mean | none | side-by-side 1,3 | mix 1.0")
    found = Embedder(recipe.make_encoder(TEXTS), layers="last").fit_transform(TEXTS[:5])
    plain = Transformer(tiny_bert_dir)
    wanted = [
        Embedder(Table.average(plain, TEXTS, (layer,)), layers=layer).fit_transform(TEXTS[:5]) for layer in (1, 3)
    ]
    np.testing.assert_allclose(found, np.hstack(wanted), atol=1e-5)


def test_refused(tiny_bert: Transformer, tiny_bert_dir, tmp_path) -> None:
    for layers in ("last", "1:0.3,2:0.7"):
        with pytest.raises(InputError, match="can't stand side by side"):
            SideBySide(tiny_bert, layers)
    with pytest.raises(InputError, match="layer 99 is out of range"):
        SideBySide(tiny_bert, (1, 99))
    for layers in ("first,last", "3", "1:0.5,last:0.5"):
        recipe = Recipe.parse(f"{tiny_bert_dir} | none | {layers} | mean | none | side-by-side first,last")
        told = f"can't take the layers {layers}: 'side-by-side first,last' makes one layer of several; write last"
        for made in (Embedder.from_recipe(recipe), Embedder(Cached(SideBySide(tiny_bert), tmp_path), layers=layers)):
            with pytest.raises(InputError, match=told):
                made.encode("the cat")
    with pytest.raises(InputError, match="has a side-by-side already, and can't have a pooling too"):
        Pooled(SideBySide(tiny_bert), "max")
    with pytest.raises(InputError, match="only one of them is possible"):
        Recipe.parse(f"{tiny_bert_dir} | none | last | mean | none | pooling max | side-by-side first,last")
    with pytest.raises(RecipeError, match="damaged"):
        SideBySide.from_spec({"type": "side_by_side", "side_by_side": 3, "encoder": tiny_bert.spec()})
