from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.errors import InputError
from attar.shapers import Affine
from attar.shapers.moments import CHUNK


def maps(kinds: list[str], d: int, seed: int) -> list[Affine]:
    rng = np.random.default_rng(seed)
    return [
        Affine(rng.standard_normal(d), scale=rng.standard_normal(d))
        if kind == "scale"
        else Affine(rng.standard_normal(d), matrix=rng.standard_normal((d, d)))
        for kind in kinds
    ]


def test_by_hand():
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(
        Affine(np.array([10.0, 0.0]), scale=np.array([2.0, -1.0])).apply(x), [[12, -2], [16, -4]]
    )
    np.testing.assert_array_equal(Affine(np.array([1.0]), matrix=np.array([[1.0], [2.0]])).apply(x), [[6], [12]])


def test_then_by_hand():
    double = Affine(np.array([1.0, 1.0]), scale=np.array([2.0, 2.0]))
    total = Affine(np.array([5.0]), matrix=np.array([[1.0], [1.0]]))
    both = double.then(total)  # 2a + 1 + 2b + 1 + 5
    np.testing.assert_array_equal(both.dense(), [[2.0], [2.0]])
    np.testing.assert_array_equal(both.offset, [7.0])
    assert (both.n_in, both.n_out) == (2, 1)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["scale", "matrix"]), min_size=3, max_size=3), st.integers(1, 6), st.integers(0, 10**6))
def test_then_equals_one_after_the_other_and_is_associative(kinds, d, seed):
    a, b, c = maps(kinds, d, seed)
    x = np.random.default_rng(seed + 1).standard_normal((4, d))
    expected = c.apply(b.apply(a.apply(x)))
    np.testing.assert_allclose(a.then(b).then(c).apply(x), expected, atol=1e-9)
    np.testing.assert_allclose(a.then(b.then(c)).apply(x), expected, atol=1e-9)
    assert (a.then(b).then(c).matrix is None) == (kinds == ["scale"] * 3)


@pytest.mark.parametrize("kind", ["scale", "matrix"])
def test_rows_do_not_depend_on_their_neighbours(kind: str):
    (affine,) = maps([kind], 3, seed=0)
    x = np.random.default_rng(1).standard_normal((2 * CHUNK + 5, 3)).astype(np.float32)
    out = affine.apply(x)
    assert out.dtype == np.float32
    picked = [0, CHUNK - 1, CHUNK, len(x) - 1]
    np.testing.assert_allclose(out[picked], x[picked].astype(np.float64) @ affine.dense() + affine.offset, rtol=1e-6)


def test_float32_is_computed_in_float64():
    # 1e8 is a step of 8 wide in float32: subtracting in float32 after multiplying would lose the fraction
    affine = Affine(np.array([-1e8]), scale=np.array([1.5]))
    x = np.array([[2e8 / 3]], dtype=np.float32)
    np.testing.assert_allclose(affine.apply(x), x.astype(np.float64) * 1.5 - 1e8, rtol=1e-7)


def test_misfits_are_refused():
    with pytest.raises(InputError, match="neither"):
        Affine(np.zeros(2))
    with pytest.raises(InputError, match="both"):
        Affine(np.zeros(2), matrix=np.eye(2), scale=np.ones(2))
    with pytest.raises(InputError, match=r"\(2, 3\).*\(2,\)"):
        Affine(np.zeros(2), matrix=np.ones((2, 3)))
    with pytest.raises(InputError, match="scale of shape"):
        Affine(np.zeros(2), scale=np.eye(2))
    with pytest.raises(InputError, match=r"2 dims.*3 dims"):
        Affine(np.zeros(2), scale=np.ones(2)).then(Affine(np.zeros(3), scale=np.ones(3)))
    with pytest.raises(InputError, match=r"\(4, 3\) do not fit.*\(N, 2\)"):
        Affine(np.zeros(2), scale=np.ones(2)).apply(np.ones((4, 3)))
