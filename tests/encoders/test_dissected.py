"""SBERT-WK: against its formulas by QR, one token at a time; by hand; in recipes; refused where layers are few."""

from __future__ import annotations

import numpy as np
import pytest

from attar import Embedder, Random, Recipe, Transformer
from attar.encoders.dissected import Dissected, layer_changes, layer_shares
from attar.errors import InputError

TEXTS = ["the cat ran", "a dog sat on the mat", "seven trees", "blue light", "the", ""]


def shares_by_qr(layers: np.ndarray) -> np.ndarray:
    """As the paper has it: R of the window's vectors with the layer's own as the last column. Shape: (L, D) -> (L,)"""
    alignment, novelty = [], []
    for k in range(len(layers)):
        below = layers[k - 2 : k] if k >= 2 else layers[:0]
        window = np.vstack([below, layers[k + 1 : k + 3], layers[k : k + 1]])
        r = np.linalg.qr(window.T, mode="r")
        others, own = r[:-1, :-1], r[:, -1]
        mean = (others / np.linalg.norm(others, axis=0)).mean(axis=1)
        alignment.append(1 / (mean @ own[:-1] / np.linalg.norm(own[:-1]) * len(window) * 2))
        novelty.append(abs(own[-1]) / np.linalg.norm(own))
    both = np.array(alignment) / sum(alignment) + np.array(novelty) / sum(novelty)
    return both / both.sum()


def test_shares_are_those_of_qr() -> None:
    layers = np.random.default_rng(0).normal(size=(7, 6, 20)) + 1
    found = layer_shares(layers @ layers.transpose(0, 2, 1))
    np.testing.assert_allclose(found, [shares_by_qr(token) for token in layers], rtol=1e-9)


def test_vectors_follow_the_formulas(tiny_bert: Transformer) -> None:
    found = Embedder(Dissected(tiny_bert, "1")).encode(TEXTS[:5])
    tokens = tiny_bert.tokenize(TEXTS[:5])
    parts = range(1, tiny_bert.n_layers + 1)
    states = tiny_bert.token_vectors(tokens, list(parts))
    for text, vector in enumerate(found):
        fused, weights = [], []
        for place in range(tokens.offsets[text] + 1, tokens.offsets[text + 1] - 1):  # without [CLS] and [SEP]
            layers = np.stack([states[layer][place] for layer in parts]).astype(np.float64)
            fused.append(shares_by_qr(layers) @ layers)
            unit = layers / np.linalg.norm(layers, axis=1, keepdims=True)
            weights.append(np.var([unit[n] @ unit[n + 1] for n in range(len(unit) - 1)]))
        wanted = np.array(weights) @ np.array(fused) / sum(weights)
        np.testing.assert_allclose(vector, wanted, rtol=1e-3, atol=1e-4)


def test_changes_by_hand() -> None:
    """Successive cosines 1 and 0: their variance is 1/4."""
    layers = np.array([[[1.0, 0], [2, 0], [0, 3]]])
    np.testing.assert_allclose(layer_changes(layers @ layers.transpose(0, 2, 1)), [0.25])


def test_shares_by_hand() -> None:
    """Three orthogonal layers align with nothing and are all new: a third each."""
    np.testing.assert_allclose(layer_shares(np.eye(3)[None] * [[[1.0], [4.0], [9.0]]]), np.full((1, 3), 1 / 3))


def test_equal_and_zero_layers_stay_finite() -> None:
    same, none = np.ones((1, 4, 4)), np.zeros((1, 4, 4))
    for products in (same, none):
        found = layer_shares(products)
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found.sum(), 1)
        np.testing.assert_allclose(layer_changes(products), 0, atol=1e-12)


def test_recipe_as_text_and_folder(tiny_bert_dir, tmp_path) -> None:
    text = f"{tiny_bert_dir} | none | last | mean | zscore | dissected 1"
    recipe = Recipe.parse(text)
    assert str(recipe) == text
    embedder = Embedder.from_recipe(recipe)
    vectors = embedder.fit_transform(TEXTS * 10)
    embedder.save(tmp_path / "saved")
    np.testing.assert_array_equal(Embedder.load(tmp_path / "saved").encode(TEXTS), vectors[: len(TEXTS)])


def test_refused(tiny_bert: Transformer, tiny_bert_dir) -> None:
    for encoder, value in ((tiny_bert, "99"), (tiny_bert, "-1"), (Random(tiny_bert_dir), "1")):
        with pytest.raises(InputError, match="can't be dissected"):
            Dissected(encoder, value)
    mixed = Recipe.parse(f"{tiny_bert_dir} | none | last | mean | none | dissected 1 | mix 0.5")
    with pytest.raises(InputError, match=r"can't be mixed with Avg\."):
        mixed.make_encoder(TEXTS)
    several = Recipe.parse(f"{tiny_bert_dir} | none | first,last | mean | none | dissected 1")
    with pytest.raises(InputError, match="'dissected 1' makes one layer of several; write last in their place"):
        Embedder.from_recipe(several).encode("the cat")
    with pytest.raises(InputError, match="can't read dissected"):
        Dissected(tiny_bert, "four")
