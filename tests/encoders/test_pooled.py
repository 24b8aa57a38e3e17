"""An encoder with a pooling of its own: along the path, in recipes, saved, swept; refused where sums are needed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from attar import Embedder, Mix, Pooled, Recipe, Transformer
from attar.cli import main
from attar.encoders.word_vectors import WordVectors
from attar.errors import InputError, ModelError, RecipeError
from attar.exports import export

TEXTS = ["the cat ran", "a dog sat on the mat", "seven trees", "blue light", "the", ""]


def rows_of(encoder, text, layer):
    tokens = encoder.tokenize([text])
    return encoder.token_vectors(tokens, [layer])[layer][1:-1]  # without [CLS] and [SEP]


@pytest.mark.parametrize(("pooling", "by_numpy"), [("max", np.max), ("min", np.min), ("mean", np.mean)])
def test_is_the_pooling_of_the_tokens(pooling, by_numpy, tiny_bert):
    found = Embedder(Pooled(tiny_bert, pooling), layers=(1, 3)).encode(TEXTS)
    for text, vector in zip(TEXTS[:5], found, strict=False):
        expected = sum(by_numpy(rows_of(tiny_bert, text, layer), axis=0) for layer in (1, 3)) / 2
        np.testing.assert_allclose(vector, expected, rtol=1e-4, atol=1e-5)


def test_weights_say_which_tokens_count(tiny_bert):
    pooled = Pooled(tiny_bert, "max")
    with_specials = Embedder(pooled, layers=2, weights="mean+specials").encode(TEXTS[0])
    tokens = tiny_bert.tokenize(TEXTS[:1])
    np.testing.assert_allclose(with_specials, tiny_bert.token_vectors(tokens, [2])[2].max(axis=0), rtol=1e-5, atol=1e-6)


def test_neighbours_do_not_matter(tiny_bert):
    embedder = Embedder(Pooled(tiny_bert, "power,dct:2"), layers=2)
    together = embedder.encode(TEXTS)
    alone = np.stack([embedder.encode(text) for text in TEXTS])
    np.testing.assert_allclose(together, alone, rtol=1e-4, atol=1e-6)
    assert together.shape == (6, 3 * 16)


def test_words_without_a_vector_are_left_out():
    words = WordVectors.of(["cat", "dog"], [[-1.0, -2.0], [-3.0, -1.0]])
    found = Embedder(Pooled(words, "max")).encode(["cat zebra dog", "zebra"])
    assert found.tolist() == [[-1, -1], [0, 0]]


def test_text_form_and_saved_folder(tiny_bert_dir, tmp_path):
    text = f"{tiny_bert_dir} | none | 1,3 | idf | zscore | pooling mean,max"
    recipe = Recipe.parse(text)
    assert str(recipe) == text
    assert recipe.pooling == "mean,max"
    assert recipe.id != recipe.pooled(None).id
    assert str(recipe.pooled("mean")) == text.removesuffix(" | pooling mean,max")
    embedder = Embedder.from_recipe(recipe).fit(TEXTS)
    embedder.save(tmp_path / "saved")
    loaded = Embedder.load(tmp_path / "saved")
    np.testing.assert_array_equal(loaded.encode(TEXTS), embedder.encode(TEXTS))
    assert str(loaded.recipe) == text
    assert Recipe.from_json(recipe.to_json()) == recipe


def test_settings_mixes_and_moves_keep_the_pooling(tiny_bert_dir, tmp_path):
    recipe = Recipe.parse(f"{tiny_bert_dir} | none | last | mean | none | pooling max | mix 0.5 | max-tokens 9")
    assert str(recipe).endswith("| none | pooling max | mix 0.5 | max-tokens 9")
    assert Recipe.parse(str(recipe)) == recipe
    assert recipe.with_settings(windows=2).pooling == "max"
    assert recipe.on_model(str(tiny_bert_dir)).pooling == "max"
    mixed = recipe.make_encoder(TEXTS)
    assert isinstance(mixed, Mix)
    assert isinstance(mixed.a, Pooled)
    assert Embedder.from_recipe(recipe, mixed).encode(TEXTS).shape == (6, 16)


def test_a_moved_model(tiny_bert_dir, tmp_path):
    import shutil

    from attar.embedder import open_embedder

    old, new = tmp_path / "old", tmp_path / "new"
    shutil.copytree(tiny_bert_dir, old)
    embedder = Embedder(Pooled(str(old), "max"), shapers="zscore").fit(TEXTS)
    embedder.save(tmp_path / "saved")
    before = embedder.encode(TEXTS)
    old.rename(new)
    np.testing.assert_array_equal(open_embedder(str(tmp_path / "saved"), str(new)).encode(TEXTS), before)


def test_templates_and_layers_are_the_models(tiny_bert_dir):
    pooled = Pooled(Transformer(tiny_bert_dir), "max").with_template("T0")
    assert pooled.n_layers == 3
    assert Embedder(pooled, weights="mask").encode(TEXTS).shape == (6, 16)


def test_what_needs_sums_is_refused(tiny_bert, tiny_bert_dir, tmp_path):
    embedder = Embedder(Pooled(tiny_bert, "max"), layers=2).fit(TEXTS)
    with pytest.raises(InputError, match="does not add up over words"):
        embedder.explain("the cat", "a dog")
    for format in ("sentence-transformers", "model2vec", "onnx"):
        with pytest.raises(RecipeError, match=r"can't be exported: other libraries take weighted means"):
            export(embedder, format, tmp_path / format)
    with pytest.raises(InputError, match="has a pooling already"):
        Pooled(Pooled(tiny_bert, "max"), "min")
    with pytest.raises(ModelError, match="32 wide on one side of the mix"):
        Mix(Pooled(tiny_bert, "mean,max"), tiny_bert).width(2)


def test_a_damaged_recipe_is_told(tiny_bert):
    spec = Pooled(tiny_bert, "max").spec()
    for damage in ({"pooling": "nonsense"}, {"pooling": 3}, {"encoder": None}):
        with pytest.raises(RecipeError, match="damaged"):
            Pooled.from_spec({**spec, **damage})


def test_on_the_command_line(tiny_bert_dir, tmp_path):
    (tmp_path / "texts.txt").write_text("the cat ran\nblue light\n")
    options = ["encode", str(tmp_path / "texts.txt"), "--model", str(tiny_bert_dir), "--pooling", "mean,max"]
    assert main([*options, "-o", str(tmp_path / "v.npy")]) in (0, None)
    assert np.load(tmp_path / "v.npy").shape == (2, 32)


def test_in_a_sweep(tiny_bert_dir, tmp_path):
    from attar.sweep import Settings, read_grid, sweep
    from attar.sweep.store import Store

    pairs = "".join(f"{i / 2}\t{a}\t{b}\n" for i, (a, b) in enumerate(pairwise(TEXTS[:5])))
    (tmp_path / "pairs.tsv").write_text("score\ttext1\ttext2\n" + pairs)
    (tmp_path / "grid.toml").write_text(
        f'tasks = ["{tmp_path}/pairs.tsv"]\npoolings = ["mean", "max"]\nmix = [0.0, 0.5]\n'
    )
    (tmp_path / "background.txt").write_text("the cat sat on the mat\n" * 3)
    grid = read_grid(str(tmp_path / "grid.toml"), (str(tiny_bert_dir),))
    sweep(grid, tmp_path / "run", Settings(background=tmp_path / "background.txt", progress=False))
    with Store.of_run(tmp_path / "run") as store:
        rows = store.scored()
    assert sorted((row.model, row.mix) for row in rows) == [
        (tiny_bert_dir.name, 0.0),
        (tiny_bert_dir.name, 0.5),
        (f"{tiny_bert_dir.name} max", 0.0),
    ]
    assert {row.full_recipe().pooling for row in rows if row.model.endswith("max")} == {"max"}
