"""A block in one call gives what its steps give one by one, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from attar.engine.joined_block import joined
from attar.engine.kernels import InPlace, Kernels, Norm, Steps, compiled_kernels, torch_kernels
from attar.engine.parts import Dense
from attar.engine.post_norm_block import BERT, PostNormBlock
from attar.engine.products import PRODUCTS, numpy_float32, packed
from attar.engine.threads import shared_by

LENGTHS = ([13], [1], [5, 1, 40, 9], [200, 31])


class Parts:
    """Random weights of a block, always the same."""

    def __init__(self, width: int, wide: int) -> None:
        rng = np.random.default_rng(width + wide)
        sizes = {BERT.widen: (wide, width), BERT.narrow: (width, wide)}
        self._dense = {
            name: Dense(*(rng.standard_normal(shape).astype(np.float32) / 5 for shape in (size, size[:1])))
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


def test_against_float64():
    kernels = compiled_kernels()
    if kernels is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    made, parts = block(kernels, 32, 64, 4, PRODUCTS["float32"]), Parts(32, 64)
    x = np.random.default_rng(2).standard_normal((7, 32))

    def dense(name: str, rows: np.ndarray) -> np.ndarray:
        return rows @ parts.dense(name).weight.T.astype(np.float64) + parts.dense(name).bias

    def norm(name: str, rows: np.ndarray) -> np.ndarray:
        gain, offset = parts.scaling(name, 32)
        return (rows - rows.mean(1, keepdims=True)) / rows.std(1, keepdims=True) * gain + offset

    from scipy.special import ndtr, softmax

    q, k, v = (dense(name, x).reshape(7, 4, 8).swapaxes(0, 1) for name in (BERT.query, BERT.key, BERT.value))
    attended = (softmax(q @ k.swapaxes(1, 2) / np.sqrt(8), axis=2) @ v).swapaxes(0, 1).reshape(7, 32)
    mixed = norm(BERT.attention_norm, dense(BERT.mixed, attended) + x)
    wide = dense(BERT.widen, mixed)
    wanted = norm(BERT.output_norm, dense(BERT.narrow, wide * ndtr(wide)) + mixed)
    found = made(x.astype(np.float32), np.array([7]))
    assert np.abs(found - wanted).max() < 1e-5 * np.abs(wanted).max()


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
