"""Products of 8-bit integers: near the exact ones, by hand, and only where there are blocks that use them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import tiny_models
from attar import Embedder, Transformer
from attar.encoders.transformer import PRECISIONS
from attar.engine.products import PRODUCTS, float32, int8
from attar.errors import InputError, ModelError, RecipeError
from attar.exports import export

TEXTS = [f"the cat {'sat ' * (n % 9)}on mat {'dog ' * (n % 5)}" for n in range(20)]


def test_the_names_are_known_without_torch():
    assert tuple(PRODUCTS) == PRECISIONS


def test_exact():
    x, weight = torch.randn(5, 16), torch.randn(3, 16)
    torch.testing.assert_close(float32(weight)(x), x @ weight.t())


def test_integers_by_hand():
    """Whole numbers up to 127 are kept in weights; inputs of -1 and 1 too."""
    weight = torch.tensor([[127.0, 1.0, 0.0, -64.0], [2.0, 0.0, 127.0, 0.0]])
    x = torch.tensor([[1.0, 1.0, 0.0, -1.0], [-1.0, 0.0, 1.0, 0.0]])
    torch.testing.assert_close(int8(weight)(x), torch.tensor([[192.0, 2.0], [-127.0, 125.0]]), rtol=0.02, atol=1.0)


def test_near_the_exact_product_whatever_the_sizes():
    draw = torch.Generator().manual_seed(0)
    sizes = torch.logspace(-3, 3, 40)[:, None]
    x, weight = torch.randn(40, 64, generator=draw) * sizes, torch.randn(24, 64, generator=draw)
    found, wanted = int8(weight)(x), x @ weight.t()
    off = (found - wanted).norm(dim=1) / wanted.norm(dim=1)
    assert float(off.max()) < 0.05  # each token has a scale of its own
    assert float(off.max()) > 1e-5  # and it is no float product


def test_zeros_and_nothing():
    weight = torch.ones(3, 8)
    assert int8(weight)(torch.zeros(2, 8)).abs().max() == 0
    assert int8(torch.zeros(3, 8))(torch.ones(2, 8)).abs().max() == 0


def test_vectors_are_near(tiny_bert_dir: Path):
    exact = Embedder(Transformer(tiny_bert_dir)).encode(TEXTS)
    quick = Embedder(Transformer(tiny_bert_dir, precision="int8")).encode(TEXTS)
    cosines = (exact * quick).sum(1) / np.linalg.norm(exact, axis=1) / np.linalg.norm(quick, axis=1)
    assert cosines.min() > 0.98
    assert np.abs(exact - quick).max() > 1e-4


def test_a_recipe_remembers(tiny_bert_dir: Path, tmp_path: Path):
    Embedder(Transformer(tiny_bert_dir, precision="int8")).save(tmp_path / "recipe")
    assert Embedder.load(tmp_path / "recipe").encoder_.precision == "int8"


def test_a_recipe_of_before_is_exact(tiny_bert_dir: Path):
    spec = Transformer(tiny_bert_dir).spec()
    del spec["precision"]
    assert Transformer.from_spec(spec).precision == "float32"


def test_refused(tiny_bert_dir: Path, tmp_path: Path):
    with pytest.raises(RecipeError, match="exportable is the same recipe in float32"):
        export(Embedder(Transformer(tiny_bert_dir, precision="int8")), "sentence-transformers", tmp_path / "out")
    with pytest.raises(InputError, match="unknown precision 'int4'"):
        Transformer(tiny_bert_dir, precision="int4")
    import transformers

    config = transformers.LlamaConfig(
        vocab_size=400, hidden_size=16, intermediate_size=16, num_hidden_layers=2, num_attention_heads=2
    )
    folder = tiny_models.save(tmp_path / "llama", transformers.LlamaModel(config), tiny_models.without_frame())
    with pytest.raises(ModelError, match="'int8' is not to be had for a LlamaModel"):
        Embedder(Transformer(folder, precision="int8")).encode(["a cat"])
