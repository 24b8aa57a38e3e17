"""Products of 8-bit integers: near the exact ones, by hand, and only where there are blocks that use them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny_models
from attar import Embedder, Transformer
from attar.encoders.transformer import PRECISIONS
from attar.engine.kernels import compiled_kernels
from attar.engine.products import PRODUCTS, float32, int8, numpy_float32, packed_float32, torch_float32
from attar.errors import InputError, ModelError, RecipeError
from attar.exports import export

TEXTS = [f"the cat {'sat ' * (n % 9)}on mat {'dog ' * (n % 5)}" for n in range(20)]


def test_the_names_are_known_without_torch():
    assert {*PRODUCTS, "float64"} == set(PRECISIONS)  # that one is left to transformers


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def array(*rows) -> np.ndarray:
    return np.array(rows, dtype=np.float32)


def packed(weight: np.ndarray):
    compiled = compiled_kernels()
    if compiled is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    return packed_float32(weight, compiled)


EXACT = pytest.mark.parametrize("product", [float32, packed, numpy_float32, torch_float32])


@EXACT
def test_exact(product):
    x, weight = draw(5, 16), draw(3, 16, seed=1)
    np.testing.assert_allclose(product(weight)(x), x @ weight.T, rtol=1e-5, atol=1e-6)
    assert product(array([1.0, 2.0], [0.0, -1.0]))(array([3.0, 4.0])).tolist() == [[11.0, -4.0]]


@EXACT
def test_rows_may_stand_apart(product):
    wide, weight = draw(5, 30), draw(3, 10, seed=1)
    wanted = np.ascontiguousarray(wide[:, 10:20]) @ weight.T
    np.testing.assert_allclose(product(weight)(wide[:, 10:20]), wanted, rtol=1e-5, atol=1e-6)


@settings(max_examples=60)
@given(st.integers(1, 220), st.integers(1, 70), st.integers(1, 450))
def test_packed_products_of_any_shape(rows, n_out, n_in):
    """Tiles, panels, blocks and passes that are not full included; nothing is written outside."""
    x, weight = draw(rows, n_in), draw(n_out, n_in, seed=1)
    found = packed(weight)(x)
    exact = x.astype(np.float64) @ weight.astype(np.float64).T
    assert np.abs(found - exact).max() < 1e-6 * n_in**0.5 * 4
    np.testing.assert_array_equal(packed(weight)(x[rows // 2 :]), found[rows // 2 :])  # whatever row it stands in


def test_integers_by_hand():
    """Whole numbers up to 127 are kept in weights; inputs of -1 and 1 too."""
    weight = array([127.0, 1.0, 0.0, -64.0], [2.0, 0.0, 127.0, 0.0])
    x = array([1.0, 1.0, 0.0, -1.0], [-1.0, 0.0, 1.0, 0.0])
    np.testing.assert_allclose(int8(weight)(x), [[192.0, 2.0], [-127.0, 125.0]], rtol=0.02, atol=1.0)


def test_near_the_exact_product_whatever_the_sizes():
    sizes = np.logspace(-3, 3, 40, dtype=np.float32)[:, None]
    x, weight = draw(40, 64) * sizes, draw(24, 64, seed=1)
    found, wanted = int8(weight)(x), x @ weight.T
    off = np.linalg.norm(found - wanted, axis=1) / np.linalg.norm(wanted, axis=1)
    assert off.max() < 0.05  # each token has a scale of its own
    assert off.max() > 1e-5  # and it is no float product


def test_zeros_and_nothing():
    weight = np.ones((3, 8), dtype=np.float32)
    assert not int8(weight)(np.zeros((2, 8), dtype=np.float32)).any()
    assert not int8(np.zeros((3, 8), dtype=np.float32))(np.ones((2, 8), dtype=np.float32)).any()


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
    with pytest.raises(RecipeError, match="exportable is the same recipe in float32 or float64"):
        export(Embedder(Transformer(tiny_bert_dir, precision="int8")), "sentence-transformers", tmp_path / "out")
    with pytest.raises(InputError, match="unknown precision 'int4'"):
        Transformer(tiny_bert_dir, precision="int4")
    import transformers

    config = transformers.LlamaConfig(
        vocab_size=400, hidden_size=16, intermediate_size=16, num_hidden_layers=2, num_attention_heads=2
    )
    folder = tiny_models.save(tmp_path / "llama", transformers.LlamaModel(config), tiny_models.without_frame())
    with pytest.raises(ModelError, match="'int8' is not available for a LlamaModel"):
        Embedder(Transformer(folder, precision="int8")).encode(["a cat"])
