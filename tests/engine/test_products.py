"""Products of each precision against float64 and by hand, with each set of instructions that the processor has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tiny_models
from attar import Embedder, Transformer
from attar.encoders.precision import PRECISIONS
from attar.engine.compiled import CompiledKernels
from attar.engine.kernels import compiled_kernels
from attar.engine.library import Abilities
from attar.engine.products import (
    PRODUCTS,
    _say_once,
    bfloat16,
    float32,
    int8,
    numpy_float32,
    numpy_int8,
    packed,
    quantize_rows,
    rounded_bfloat16,
    to_bfloat16,
    torch_float32,
)
from attar.engine.threads import shared_by
from attar.errors import InputError, ModelError, RecipeError
from attar.exports import export

TEXTS = [f"the cat {'sat ' * (n % 9)}on mat {'dog ' * (n % 5)}" for n in range(20)]


def test_the_names_are_known_without_torch():
    assert {*PRODUCTS, "float64", "auto"} == set(PRECISIONS)  # the first of these is left to transformers


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def array(*rows) -> np.ndarray:
    return np.array(rows, dtype=np.float32)


ROWS, OUT, IN = st.integers(1, 220), st.integers(1, 70), st.integers(1, 450)  # tiles, panels, passes not full included


@pytest.fixture(params=["avx2", "avx512", "all"])
def kernels(request) -> CompiledKernels:
    """Our own products, kept to these instructions."""
    return compiled_for(request.param)


def compiled_for(limit: str) -> CompiledKernels:
    kernels = compiled_kernels(limit)
    if kernels is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    if limit == "avx512" and Abilities.WIDE not in kernels.abilities:
        pytest.skip("this processor has no AVX-512")
    return kernels


def own(weight: np.ndarray, precision: str, kernels: CompiledKernels):
    product = packed(weight, precision, kernels)
    if product is None:
        pytest.skip(f"no products of {precision} with {kernels.abilities!r}")
    return product


EXACT = pytest.mark.parametrize("product", [float32, numpy_float32, torch_float32])


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


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "int8"])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, OUT, IN)
def test_a_row_is_the_same_wherever_it_stands(kernels, precision, rows, n_out, n_in):
    """To the last bit: alone, among others, and whoever shares the work."""
    x, product = draw(rows, n_in), own(draw(n_out, n_in, seed=1), precision, kernels)
    whole = product(x)
    np.testing.assert_array_equal(product(x[rows // 2 :]), whole[rows // 2 :])
    np.testing.assert_array_equal(product(x[rows // 3 : rows // 3 + 1]), whole[rows // 3 : rows // 3 + 1])
    with shared_by(3):
        np.testing.assert_array_equal(product(x), whole)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, OUT, IN)
def test_float32_of_any_shape(kernels, rows, n_out, n_in):
    x, weight = draw(rows, n_in), draw(n_out, n_in, seed=1)
    exact = x.astype(np.float64) @ weight.astype(np.float64).T
    found = own(weight, "float32", kernels)(x)
    assert np.abs(found - exact).max() < 1e-6 * n_in**0.5 * 4
    np.testing.assert_array_equal(found, own(weight, "float32", compiled_for("avx2"))(x))  # on any processor


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, OUT, IN)
def test_bfloat16_of_any_shape(kernels, rows, n_out, n_in):
    """Exact products of rounded numbers, summed in float32."""
    x, weight = draw(rows, n_in), draw(n_out, n_in, seed=1)
    exact = to_bfloat16(x).astype(np.float64) @ to_bfloat16(weight).astype(np.float64).T
    assert np.abs(own(weight, "bfloat16", kernels)(x) - exact).max() < 1e-6 * n_in**0.5 * 4
    np.testing.assert_allclose(rounded_bfloat16(weight)(x), exact, atol=1e-6 * n_in**0.5 * 4)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, OUT, IN)
def test_integers_of_any_shape(kernels, rows, n_out, n_in):
    """The same to the last bit by numpy, with any instructions."""
    x, weight = draw(rows, n_in) + draw(rows, 1, seed=2), draw(n_out, n_in, seed=1)
    np.testing.assert_array_equal(own(weight, "int8", kernels)(x), numpy_int8(weight)(x))


def test_bfloat16_by_hand():
    """Of 1 + 1/256 and 1 + 3/256, both half way between neighbours, the even neighbours are 1 and 1 + 4/256."""
    given_ = array([1 + 1 / 256, 1 + 3 / 256, -(1 + 2 / 256), 3.0])
    assert to_bfloat16(given_).tolist() == [[1.0, 1 + 4 / 256, -(1 + 2 / 256), 3.0]]
    assert np.isnan(to_bfloat16(array([np.nan]))).all()
    assert np.isposinf(to_bfloat16(array([3.4e38]))).all()
    assert bfloat16(array([1.0, 2.0], [0.0, -1.0]))(array([1 + 1 / 256, 4.0])).tolist() == [[9.0, -4.0]]


def test_rows_quantized_by_hand():
    """From -1 to 4 in steps of 1/51; a row that is all above 0 keeps 0, so that what is 0 stays 0."""
    rows, scales, zeros = quantize_rows(array([-1.0, 0.0, 4.0], [5.1, 2.55, 0.0], [0.0, 0.0, 0.0]))
    assert rows.tolist() == [[0, 51, 255], [255, 128, 0], [0, 0, 0]]
    np.testing.assert_allclose(scales, [5 / 255, 0.02, 0], rtol=1e-6)
    assert zeros.tolist() == [51, 0, 0]


@pytest.mark.parametrize("make", [int8, numpy_int8])
def test_integers_by_hand(make):
    """Whole numbers up to 127 are kept in weights; inputs from -1 to 1 in steps of 2/255."""
    weight = array([127.0, 1.0, 0.0, -64.0], [2.0, 0.0, 127.0, 0.0], [0, 0, 0, 1], [0, 0, 1, 0])
    x = array([1.0, 1.0, 0.0, -1.0], [-1.0, 0.0, 1.0, 0.0])
    np.testing.assert_allclose(make(weight)(x)[:, :2], [[192.0, 2.0], [-127.0, 125.0]], rtol=0.01, atol=1.0)


def test_near_the_exact_product_whatever_the_sizes():
    sizes = np.logspace(-3, 3, 40, dtype=np.float32)[:, None]
    x, weight = draw(40, 64) * sizes, draw(64, 64, seed=1)
    found, wanted = int8(weight)(x), x @ weight.T
    off = np.linalg.norm(found - wanted, axis=1) / np.linalg.norm(wanted, axis=1)
    assert off.max() < 0.02  # each token has a scale of its own
    assert off.max() > 1e-5  # and it is no float product


@pytest.mark.parametrize("make", [int8, numpy_int8, bfloat16, float32])
def test_zeros_and_what_is_not_finite(make):
    weight, x = np.ones((8, 8), dtype=np.float32), np.zeros((4, 8), dtype=np.float32)
    assert not make(weight)(x).any()
    assert not make(np.zeros((8, 8), dtype=np.float32))(np.ones((2, 8), dtype=np.float32)).any()
    x[1, 3], x[2, 5] = np.nan, np.inf
    assert np.isfinite(make(weight)(x)).all(axis=1).tolist() == [True, False, False, True]


def test_no_such_instructions_are_said(monkeypatch, caplog):
    _say_once.cache_clear()
    monkeypatch.setattr("attar.engine.products.compiled_kernels", lambda: None)
    x, weight = draw(5, 16), draw(30, 16, seed=1)
    np.testing.assert_allclose(bfloat16(weight)(x), x @ weight.T, atol=0.1)
    np.testing.assert_allclose(int8(weight)(x), x @ weight.T, atol=0.2)
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        "precision='bfloat16'",
        "precision='int8'",
    ]
    assert all("no faster than 'float32' here" in record.getMessage() for record in caplog.records)


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
