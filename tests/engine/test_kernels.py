"""The compiled steps equal torch's, and values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.engine.compiled import CompiledKernels
from attar.engine.kernels import Norm, Projected, compiled_kernels
from attar.engine.library import Abilities
from attar.engine.torch_kernels import TorchKernels

TORCH = TorchKernels()


@pytest.fixture(scope="module")
def compiled() -> CompiledKernels:
    kernels = compiled_kernels()
    if kernels is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    return kernels


@pytest.fixture(params=["torch", "compiled"])
def kernels(request):
    return TORCH if request.param == "torch" else request.getfixturevalue("compiled")


def draw(*shape: int, seed: int = 0, spread: float = 1.0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32) * np.float32(spread)


def array(*values) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def projected(n_tokens: int, dims: int, spread: float = 1.0) -> Projected:
    biases = draw(3 * dims, seed=1)
    return Projected(*np.split(draw(n_tokens, 3 * dims, spread=spread), 3, axis=1), *np.split(biases, 3))


def test_gelu_by_hand(kernels):
    x = array([0.0, 1.0, -1.0, 2.5, -30.0, 30.0, 0.1, -3.0, 0.5])
    bias = array(0.0, 1.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, -0.5)
    wanted = [v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in (x + bias)[0].tolist()]
    kernels.bias_gelu(x, bias)
    # With vectors of sixteen torch takes erf from a polynomial that is off by up to 1.5e-7 before anything is rounded
    # (Abramowitz and Stegun, 7.1.26); 5.3e-7 was seen in the end.
    np.testing.assert_allclose(x[0], wanted, atol=1e-6, rtol=2e-7)


def test_gelu_everywhere(compiled):
    x = np.linspace(-12, 12, 4001, dtype=np.float32)[:, None]
    wanted = torch.nn.functional.gelu(torch.from_numpy(x).double()).numpy()
    compiled.bias_gelu(x, array(0.0))
    assert (np.abs(x - wanted) / np.abs(wanted).clip(min=1)).max() < 1e-6


def test_relu_by_hand(kernels):
    x = array([1.0, -2.0, 0.5])
    kernels.bias_relu(x, array(-3.0, 4.0, 0.0))
    assert x.tolist() == [[0.0, 2.0, 0.5]]


def test_add_scale_by_hand(kernels):
    scaling = Norm(array(2.0, -1.0), array(0.5, 0.0))
    x, rows = array([1.0, 2.0], [3.0, 4.0]), array([9.0, 1.0, 1.0], [9.0, 0.0, 2.0])
    kernels.add_scale(x, array(1.0, 0.0), rows[:, 1:], scaling)  # rows stand apart
    assert x.tolist() == [[6.5, -3.0], [8.5, -6.0]]


@pytest.mark.parametrize("width", [8, 11])
def test_add_norm_by_hand(kernels, width):
    """3, 2, 1, 1, 1, 1, 1, -1, and maybe three more at the mean of 9/8; mean square of the first eight 19/8."""
    gain, offset = np.ones(width, dtype=np.float32), np.zeros(width, dtype=np.float32)
    gain[0], offset[1] = 2.0, 1.0
    x, residual, bias = (np.zeros((1, width), dtype=np.float32) for _ in range(3))
    x[0, :8] = [3.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    x[0, 8:] = 9 / 8
    residual[0, 7], bias[0, 1] = -2.0, 2.0
    kernels.add_norm(x, bias[0], residual, Norm(gain, offset, 0.0))
    deviation = math.sqrt((19 / 8 - (9 / 8) ** 2) * 8 / width)
    wanted = [2 * 1.875 / deviation, 1 + 0.875 / deviation, *[-0.125 / deviation] * 5, -2.125 / deviation]
    np.testing.assert_allclose(x[0], wanted + [0.0] * (width - 8), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dims", [3, 8, 24, 384, 20])
def test_add_norm_like_torch(compiled, dims):
    norm = Norm(draw(dims, seed=3), draw(dims, seed=4), 1e-5)
    x, residual, bias = draw(5, dims), draw(5, dims, seed=1), draw(dims, seed=2)
    wanted = x.copy()
    TORCH.add_norm(wanted, bias, residual, norm)
    compiled.add_norm(x, bias, residual, norm)
    np.testing.assert_allclose(x, wanted, atol=2e-6, rtol=2e-6)


def test_attention_by_hand(kernels):
    """Two tokens of one head: scores ln 3 and 0 give shares 3/4 and 1/4; a sequence of one keeps its value."""
    zero = np.zeros(8, dtype=np.float32)
    q, k, v = (np.zeros((3, 8), dtype=np.float32) for _ in range(3))
    q[0, 0], k[0, 0] = math.log(3.0), 1.0
    v[0, 1], v[1, 1], v[2, 1] = 4.0, 8.0, 7.0
    out = kernels.attention(Projected(q, k, v, zero, zero, zero), np.array([2, 1]), 1, 1.0)
    np.testing.assert_allclose(out[:, 1], [5.0, 6.0, 7.0], rtol=1e-6)
    assert not out[:, [0, 2, 3, 4, 5, 6, 7]].any()


@settings(max_examples=25, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=6),
    heads=st.integers(1, 3),
    dh=st.sampled_from([4, 8, 16, 24, 32, 64]),
    spread=st.sampled_from([0.1, 1.0, 3.0]),
)
def test_attention_like_torch(lengths, heads, dh, spread):
    kernels = compiled_kernels()
    if kernels is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    given_ = projected(sum(lengths), heads * dh, spread)
    sizes = np.array(lengths, dtype=np.int64)
    found, wanted = (k.attention(given_, sizes, heads, dh**-0.5) for k in (kernels, TORCH))
    np.testing.assert_allclose(found, wanted, atol=1e-5 * spread, rtol=1e-5)


def test_attention_of_a_long_sequence(compiled):
    given_, sizes = projected(515, 32), np.array([512, 3])
    found, wanted = (k.attention(given_, sizes, 1, 0.2) for k in (compiled, TORCH))
    np.testing.assert_allclose(found, wanted, atol=1e-5, rtol=1e-5)


def test_attention_of_very_large_scores(compiled):
    given_ = projected(30, 32, spread=100.0)
    found, wanted = (k.attention(given_, np.array([30]), 1, 1.0) for k in (compiled, TORCH))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, wanted, atol=1e-3, rtol=1e-4)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(1, 90), min_size=1, max_size=4), st.sampled_from([8, 24, 32, 40, 64, 120]), st.integers(0, 9)
)
def test_attention_by_wide_vectors_gives_the_same_bits_and_is_right(lengths, dh, seed):
    narrow, wide = compiled_kernels("avx2"), compiled_kernels("avx512")
    if narrow is None or wide is None or Abilities.WIDE not in wide.abilities:
        pytest.skip("no AVX-512 here")
    dims = 2 * dh
    qkv, biases = draw(sum(lengths), 3 * dims, seed=seed, spread=2.0), draw(3, dims, seed=seed + 1)
    projected = Projected(qkv[:, :dims], qkv[:, dims : 2 * dims], qkv[:, 2 * dims :], *biases)
    found = wide.attention(projected, np.array(lengths), 2, dh**-0.5)
    np.testing.assert_array_equal(found, narrow.attention(projected, np.array(lengths), 2, dh**-0.5))
    # Scores go up to about 20: float32 is off by 1e-6 and more there, and so are the shares of values of up to 8.
    np.testing.assert_allclose(found, exact_attention(projected, lengths, dh), rtol=1e-4, atol=1e-4)


def exact_attention(projected: Projected, lengths: list[int], dh: int) -> np.ndarray:
    """Of two heads, in float64."""
    q, k, v = (x.astype(np.float64) + b for x, b in zip(projected[:3], projected[3:], strict=True))
    out, start = np.empty(q.shape), 0
    for n in lengths:
        for head in (slice(0, dh), slice(dh, 2 * dh)):
            rows = slice(start, start + n)
            scores = q[rows, head] @ k[rows, head].T * dh**-0.5
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
            out[rows, head] = shares / shares.sum(axis=1, keepdims=True) @ v[rows, head]
        start += n
    return out


def test_mapped_weights_are_copied_for_torch() -> None:
    """Which warns of memory that can't be written; what can be is worked on where it is."""
    torch_kernels = pytest.importorskip("attar.engine.torch_kernels")
    own = np.ones(3, dtype=np.float32)
    assert torch_kernels._tensor(own).data_ptr() == own.ctypes.data
    own.flags.writeable = False
    assert torch_kernels._tensor(own).data_ptr() != own.ctypes.data
