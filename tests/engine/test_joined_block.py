"""A block in one call gives what its steps give one by one, to the last bit; and what float64 gives, nearly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, softmax

from attar.engine.joined_block import joined
from attar.engine.kernels import InPlace, Kernels, Norm, Steps, compiled_kernels, torch_kernels
from attar.engine.library import Abilities
from attar.engine.parts import Dense
from attar.engine.post_norm_block import BERT, PostNormBlock
from attar.engine.products import PRODUCTS, numpy_float32, packed
from attar.engine.threads import shared_by

LENGTHS = ([13], [1], [5, 1, 40, 9], [200, 31])


class Parts:
    """Random weights of a block, always the same."""

    def __init__(self, width: int, wide: int, spread: float = 0.2) -> None:
        rng = np.random.default_rng(width + wide)
        sizes = {BERT.widen: (wide, width), BERT.narrow: (width, wide)}
        self._dense = {
            name: Dense(*(spread * rng.standard_normal(shape).astype(np.float32) for shape in (size, size[:1])))
            for name in (BERT.query, BERT.key, BERT.value, BERT.mixed, BERT.widen, BERT.narrow)
            for size in [sizes.get(name, (width, width))]
        }
        self._norms = {
            name: tuple(rng.standard_normal((2, width)).astype(np.float32))
            for name in (BERT.attention_norm, BERT.output_norm)
        }

    def dense(self, name: str) -> Dense:
        return self._dense[name]

    def joined(self, names: list[str]) -> Dense:
        found = [self._dense[name] for name in names]
        return Dense(np.concatenate([d.weight for d in found]), np.concatenate([d.bias for d in found]))

    def scaling(self, name: str, width: int) -> tuple[np.ndarray, np.ndarray]:
        return self._norms[name]


def block(kernels: Kernels, width: int, wide: int, heads: int, product, activation: str = "bias_gelu") -> PostNormBlock:
    activate = InPlace(getattr(kernels, activation))
    return PostNormBlock(Parts(width, wide), BERT, width, heads, 1e-12, activate, kernels, product)


@pytest.mark.parametrize("members", [1, 2, 3])
@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize(
    ("width", "wide", "heads", "activation"),
    [(48, 200, 2, "bias_gelu"), (64, 128, 8, "bias_relu"), (384, 1536, 12, "bias_gelu")],
)
@pytest.mark.parametrize("limit", ["all", "avx2"])
def test_the_same_as_step_by_step(limit, width, wide, heads, activation, lengths, members):
    kernels = compiled_kernels(limit)
    if kernels is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    made = block(kernels, width, wide, heads, lambda weight: packed(weight, "float32", kernels), activation)
    assert made._run != made.step_by_step
    x = np.random.default_rng(0).standard_normal((sum(lengths), width)).astype(np.float32)
    given = x.copy()
    with shared_by(members):
        found = made(x, np.array(lengths))
    np.testing.assert_array_equal(found, made.step_by_step(x, np.array(lengths)))
    np.testing.assert_array_equal(x, given)


@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
def test_other_precisions(precision):
    kernels = compiled_kernels()
    if kernels is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    made = block(kernels, 64, 256, 4, PRODUCTS[precision])
    x, lengths = np.random.default_rng(1).standard_normal((30, 64)).astype(np.float32), np.array([20, 10])
    np.testing.assert_array_equal(made(x, lengths), made.step_by_step(x, lengths))


def in_float64(parts: Parts, x: np.ndarray, lengths: list[int], heads: int) -> np.ndarray:
    """The block as its definition says, sequence by sequence."""
    width = x.shape[1]

    def dense(name: str, rows: np.ndarray) -> np.ndarray:
        return rows @ parts.dense(name).weight.T.astype(np.float64) + parts.dense(name).bias

    def norm(name: str, rows: np.ndarray) -> np.ndarray:
        gain, offset = parts.scaling(name, width)
        return (rows - rows.mean(1, keepdims=True)) / rows.std(1, keepdims=True) * gain + offset

    def attended(rows: np.ndarray) -> np.ndarray:
        n, dh = len(rows), width // heads
        q, k, v = (
            dense(name, rows).reshape(n, heads, dh).swapaxes(0, 1) for name in (BERT.query, BERT.key, BERT.value)
        )
        return (softmax(q @ k.swapaxes(1, 2) / np.sqrt(dh), axis=2) @ v).swapaxes(0, 1).reshape(n, width)

    together = np.concatenate([attended(rows) for rows in np.split(x, np.cumsum(lengths)[:-1])])
    mixed = norm(BERT.attention_norm, dense(BERT.mixed, together) + x)
    wide = dense(BERT.widen, mixed)
    return norm(BERT.output_norm, dense(BERT.narrow, wide * ndtr(wide)) + mixed)


OFF = {"float32": 1e-12, "bfloat16": 1e-5, "int8": 2e-4}  # 1 - cosine, at most


@pytest.mark.parametrize("precision", OFF)
@pytest.mark.parametrize("limit", ["avx2", "avx512", "all"])
@pytest.mark.parametrize(("width", "wide", "heads"), [(32, 64, 4), (312, 1200, 3), (384, 1536, 12)])
def test_against_float64(width, wide, heads, limit, precision):
    kernels = compiled_kernels(limit)
    if kernels is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    if limit == "avx512" and Abilities.WIDE not in kernels.abilities:
        pytest.skip("this processor has no AVX-512")
    if packed(np.zeros((1, 1), dtype=np.float32), precision, kernels) is None:
        pytest.skip(f"no products of {precision} with {kernels.abilities!r}")
    parts = Parts(width, wide, spread=width**-0.5)
    made = PostNormBlock(
        parts, BERT, width, heads, 1e-12, InPlace(kernels.bias_gelu), kernels, lambda w: packed(w, precision, kernels)
    )
    lengths = [1, 7, 40]
    x = np.random.default_rng(2).standard_normal((48, width)).astype(np.float32)
    wanted, found = in_float64(parts, x.astype(np.float64), lengths, heads), made(x, np.array(lengths))
    cosines = (
        (wanted * found).sum(1) / np.linalg.norm(wanted, axis=1) / np.linalg.norm(found.astype(np.float64), axis=1)
    )
    assert (1 - cosines).max() < OFF[precision]
    assert np.abs(np.linalg.norm(found, axis=1) / np.linalg.norm(wanted, axis=1) - 1).max() < OFF[precision] ** 0.5


def test_joined_only_where_all_steps_are_in_the_library():
    kernels = compiled_kernels()
    if kernels is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    steps = block(kernels, 64, 128, 4, PRODUCTS["float32"])._steps
    assert joined(kernels, steps) is not None
    other = steps._replace(mix=numpy_float32(np.zeros((64, 64), dtype=np.float32)))
    assert joined(kernels, other) is None
    assert joined(kernels, steps._replace(activate=lambda x, bias: np.tanh(x + bias))) is None
    assert joined(kernels, steps._replace(heads=16)) is None  # of 4 dims
    assert joined(torch_kernels(), steps) is None
    assert isinstance(steps, Steps)
    assert isinstance(steps.output_norm, Norm)
