"""Weights as they are stored: the numbers they stand for, and products with them."""

from __future__ import annotations

import numpy as np
import pytest

from attar.engine import stored
from attar.engine.decoder_library import decoder_library, product_level
from attar.engine.products import to_bfloat16
from attar.engine.stored import Stored
from attar.io.quantized import FORMATS, StoredRows

compiled = pytest.mark.skipif(decoder_library() is None, reason="nothing was compiled")


def raw_rows(kind: str, n: int, width: int, seed: int = 0) -> np.ndarray:
    """Any bytes, but scales that are finite."""
    random, form = np.random.default_rng(seed), FORMATS[kind]
    if form.numbers == 1:
        numbers = random.normal(size=(n, width)).astype("<f4")
        if kind == "BF16":
            return np.ascontiguousarray((numbers.view("<u4") >> 16).astype("<u2")).view(np.uint8).reshape(n, -1)
        return numbers.astype("<f2" if kind == "F16" else "<f4").view(np.uint8).reshape(n, -1)
    raw = random.integers(0, 256, size=(n, width // form.numbers, form.bytes), dtype=np.uint8)
    scales = random.normal(size=(n, width // form.numbers, 2)).astype("<f2").view(np.uint8).reshape(n, -1, 4)
    if kind in ("Q3_K", "Q6_K"):
        raw[..., -2:] = scales[..., :2]
    elif kind == "Q2_K":
        raw[..., -4:] = scales
    elif kind in ("Q8_0", "Q4_0", "Q5_0", "IQ4_NL", "IQ4_XS"):
        raw[..., :2] = scales[..., :2]
    else:
        raw[..., :4] = scales
    return raw.reshape(n, -1)


def rows(kind: str, n: int = 70, width: int = 512) -> Stored:
    return Stored(raw_rows(kind, n, width), kind, width)


def test_a_block_by_hand():
    """Q4_0: a scale of 0.5, then low halves for the first 16 numbers, high ones for the others, less 8."""
    block = np.frombuffer(np.float16(0.5).tobytes() + bytes([0xF0] + [0x88] * 15), dtype=np.uint8)[None]
    numbers = StoredRows(block, "Q4_0", 32).unpacked()[0]
    assert numbers[0] == (0 - 8) * 0.5
    assert numbers[16] == (15 - 8) * 0.5
    assert not numbers[[*range(1, 16), *range(17, 32)]].any()


@pytest.mark.parametrize("kind", FORMATS)
def test_the_numbers_of_the_gguf_package(kind):
    gguf = pytest.importorskip("gguf")
    given = rows(kind)
    wanted = gguf.quants.dequantize(given.raw, gguf.GGMLQuantizationType[kind])
    np.testing.assert_array_equal(given.unpacked(), wanted.astype(np.float32).reshape(given.shape))


@compiled
@pytest.mark.parametrize("kind", FORMATS)
def test_compiled_rows_are_those_of_numpy(kind):
    given = rows(kind)
    chosen = np.array([3, 69, 0, 3])
    np.testing.assert_array_equal(given[chosen], given.unpacked()[chosen])


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("n_rows", [1, 13, 40])
def test_products_are_those_of_the_numbers(kind, n_rows):
    given = rows(kind)
    x = np.random.default_rng(1).normal(size=(n_rows, 600)).astype(np.float32)[:, 50:562]  # rows stand apart
    wanted = x.astype(np.float64) @ given.unpacked().astype(np.float64).T
    np.testing.assert_allclose(given.times(x), wanted, rtol=0, atol=2e-6 * np.abs(wanted).max() + 1e-6)


@compiled
@pytest.mark.parametrize("kind", ["F32", "Q4_1", "Q6_K"])
def test_the_same_bits_in_any_company_and_with_any_vectors(kind):
    given = rows(kind, n=37)
    x = np.random.default_rng(1).normal(size=(40, 512)).astype(np.float32)
    whole = given.times(x)
    np.testing.assert_array_equal(given.times_compiled(x, brief=False, level=0), whole)
    np.testing.assert_array_equal(given.times(x[17:19]), whole[17:19])


LEVELS = [0, 1, 2]  # of the products, as in product_level


def exact_brief(given: Stored, x: np.ndarray) -> np.ndarray:
    """The sums of what bfloat16 can hold, in float64."""
    return to_bfloat16(x).astype(np.float64) @ to_bfloat16(given.unpacked()).astype(np.float64).T


@compiled
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("kind", "width"), [("F32", 259), ("F16", 8), ("Q4_1", 576), ("Q6_K", 512)])
def test_brief_products_are_those_of_numbers_rounded_to_bfloat16(level, kind, width):
    if level > product_level():
        pytest.skip("this processor has no such products")
    given = rows(kind, n=37, width=width)
    x = np.random.default_rng(1).normal(size=(29, width)).astype(np.float32)
    wanted, found = exact_brief(given, x), given.times_compiled(x, brief=True, level=level)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())
    assert np.abs(found - given.times(x)).max() > 1e-4 * np.abs(wanted).max()  # not what float32 gives
    np.testing.assert_array_equal(given.times_compiled(x[17:19], brief=True, level=level), found[17:19])


def test_brief_products_uncompiled(monkeypatch):
    given, x = rows("Q5_K"), np.random.default_rng(1).normal(size=(9, 512)).astype(np.float32)
    monkeypatch.setattr(stored, "decoder_library", lambda: None)
    wanted = exact_brief(given, x)
    np.testing.assert_allclose(given.times(x, brief=True), wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())


@compiled
@pytest.mark.parametrize("level", LEVELS)
def test_brief_products_of_strange_numbers(level):
    if level > product_level():
        pytest.skip("this processor has no such products")
    x = np.array([[np.nan, 1.0], [np.inf, 1.0], [3.4e38, 1.0], [1.0, 2.0]], dtype=np.float32)
    found = Stored.of(np.eye(2, dtype=np.float32) + 1).times_compiled(x, brief=True, level=level)
    assert np.isnan(found[0]).all()
    assert not np.isfinite(found[1:3]).any()
    assert found[3].tolist() == [4, 5]


def test_widths_that_are_no_multiple_of_anything():
    weight = np.random.default_rng(0).normal(size=(5, 259)).astype(np.float32)
    x = np.random.default_rng(1).normal(size=(3, 259)).astype(np.float32)
    np.testing.assert_allclose(Stored.of(weight).times(x), x @ weight.T, rtol=0, atol=1e-4)


def test_uncompiled_products(monkeypatch):
    given, x = rows("Q5_K"), np.random.default_rng(1).normal(size=(9, 512)).astype(np.float32)
    wanted = given.times(x)
    monkeypatch.setattr(stored, "decoder_library", lambda: None)
    monkeypatch.setattr(stored, "_AT_ONCE", 1024)  # two rows at a time
    np.testing.assert_allclose(given.times(x), wanted, rtol=0, atol=2e-6 * np.abs(wanted).max())
    np.testing.assert_array_equal(given[np.array([2, 1])], given.unpacked()[[2, 1]])


def test_plain_floats_are_not_copied():
    weight = np.zeros((4, 8), dtype=np.float32)
    assert np.shares_memory(Stored.of(weight).raw, weight)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Stored(np.zeros((2, 17), dtype=np.uint8), "Q4_0", 32),
        lambda: Stored(np.zeros((2, 18), dtype=np.uint8), "Q4_0", 33),
        lambda: Stored.of(np.zeros((2, 2))),
        lambda: Stored.of(np.zeros(2, dtype=np.float32)),
        lambda: rows("F32").times(np.zeros((2, 511), dtype=np.float32)),
    ],
)
def test_shapes_that_do_not_fit(make):
    with pytest.raises(ValueError):
        make()


@compiled
def test_rows_that_are_not_there():
    with pytest.raises(IndexError):
        rows("F32")[np.array([70])]
