"""Token weights by the diagonal of one head's attention: by transformers, by hand, in recipes; refused elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
import transformers

from attar import Embedder, Random, Recipe, Transformer
from attar.encoders.attended import Attended
from attar.engine.kernels import Projected
from attar.engine.own_attention import own_attention
from attar.errors import InputError, RecipeError
from attar.exports import export

TEXTS = ["the cat ran", "a dog sat on the mat", "seven trees", "blue light", "the", ""]


def attentions(folder, tokens) -> list[np.ndarray]:
    """For each sequence (layers, heads, T, T), as transformers computes them, one sequence at a time."""
    import torch

    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    found = []
    with torch.inference_mode():
        for start, end in zip(tokens.offsets[:-1], tokens.offsets[1:], strict=True):
            ids = torch.from_numpy(tokens.ids[start:end].astype(np.int64))[None]
            found.append(torch.cat(model(input_ids=ids, output_attentions=True).attentions).numpy())
    return found


@pytest.mark.parametrize("layer", [1, 3])
@pytest.mark.parametrize("head", [1, 2])
def test_is_the_diagonal_that_transformers_gives(tiny_bert: Transformer, tiny_bert_dir, layer: int, head: int) -> None:
    tokens = tiny_bert.tokenize(TEXTS)
    found = tiny_bert.own_attention(tokens, layer, head)
    wanted = [each[layer - 1, head - 1].diagonal() for each in attentions(tiny_bert_dir, tokens)]
    np.testing.assert_allclose(found, np.concatenate(wanted), rtol=1e-4, atol=1e-6)


def test_vectors_are_means_under_these_weights(tiny_bert: Transformer, tiny_bert_dir) -> None:
    """Special tokens are left out by the mean, as always."""
    found = Embedder(Attended(tiny_bert, "2:1"), layers=(1, 3)).encode(TEXTS[:5])
    tokens = tiny_bert.tokenize(TEXTS[:5])
    vectors = tiny_bert.token_vectors(tokens, [1, 3])
    for text, each in enumerate(attentions(tiny_bert_dir, tokens)):
        own = slice(tokens.offsets[text] + 1, tokens.offsets[text + 1] - 1)
        weights = each[1, 0].diagonal()[1:-1]
        wanted = (vectors[1][own] + vectors[3][own]).T @ weights / weights.sum() / 2
        np.testing.assert_allclose(found[text], wanted, rtol=1e-4, atol=1e-5)


def test_by_hand() -> None:
    """Query 2 meets keys ln 2 and 0: e^(2 ln 2) = 4 against 1, so 4/5; query 0 sees both alike; alone, 1."""
    keys = np.array([[np.log(2)], [0], [7]], dtype=np.float32)
    queries = np.array([[1], [-1], [5]], dtype=np.float32)
    projected = Projected(queries, keys, keys, np.ones(1, np.float32), np.zeros(1, np.float32), np.zeros(1, np.float32))
    found = own_attention(projected, np.array([2, 1]), heads=1, scale=1.0, head=0)
    np.testing.assert_allclose(found, [0.8, 0.5, 1], rtol=1e-6)


def test_extreme_logits_stay_finite() -> None:
    keys = np.array([[300], [-300]], dtype=np.float32)
    none = np.zeros(1, np.float32)
    found = own_attention(Projected(-keys, keys, keys, none, none, none), np.array([2]), 1, 1.0, 0)
    np.testing.assert_array_equal(found, [0, 0])


def test_recipe_as_text_and_folder(tiny_bert_dir, tmp_path) -> None:
    text = f"{tiny_bert_dir} | none | first,last | idf | zscore | attention 1:2"
    recipe = Recipe.parse(text)
    assert str(recipe) == text
    embedder = Embedder.from_recipe(recipe)
    vectors = embedder.fit_transform(TEXTS * 10)
    embedder.save(tmp_path / "saved")
    np.testing.assert_array_equal(Embedder.load(tmp_path / "saved").encode(TEXTS), vectors[: len(TEXTS)])


def test_refused(tiny_bert: Transformer, tiny_bert_dir, tiny_gpt2_dir, tmp_path) -> None:
    for value in ("1", "one:2", "1:"):
        with pytest.raises(InputError, match="can't read the attention"):
            Attended(tiny_bert, value)
    for value in ("9:1", "0:1", "1:0", "1:99"):
        with pytest.raises(InputError, match="there is no head"):
            Embedder(Attended(tiny_bert, value)).encode(TEXTS)
    with pytest.raises(InputError, match="has no attention"):
        Attended(Random(tiny_bert_dir), "1:1")
    for other in (Transformer(tiny_gpt2_dir), Transformer(tiny_bert_dir, precision="float64")):
        with pytest.raises(InputError, match="can't be had"):
            Embedder(Attended(other, "1:1")).encode(TEXTS)
    with pytest.raises(RecipeError, match="can't be exported"):
        export(Embedder(Attended(tiny_bert, "1:1")), "onnx", tmp_path / "no")
