from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import QuantileTransformer

from attar.errors import InputError, RecipeError
from attar.shapers import Quantile
from attar.shapers.columns import BLOCK


def reference(x: np.ndarray, output: str = "uniform") -> QuantileTransformer:
    n_quantiles = min(1000, len(x))
    return QuantileTransformer(n_quantiles=n_quantiles, subsample=None, output_distribution=output).fit(x)


def smooth(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * rng.gamma(1, 1, d) + rng.standard_normal(d)


def test_uniform_by_hand():
    shaper = Quantile().fit([[0.0], [1.0], [3.0], [7.0]])  # shares 0, 1/3, 2/3, 1
    expected = [[0.0], [1 / 3], [0.5], [2 / 3], [1.0], [0.0], [1.0]]
    np.testing.assert_allclose(shaper.transform([[0.0], [1.0], [2.0], [3.0], [7.0], [-5.0], [50.0]]), expected)


def test_ties_by_hand():
    # five values, shares 0, 1/4, 2/4, 3/4, 1: the 2s reach from 1/4 to 3/4, their middle is 1/2
    shaper = Quantile().fit([[1.0], [2.0], [2.0], [2.0], [3.0]])
    np.testing.assert_allclose(shaper.transform([[1.5], [2.0], [2.5]]), [[0.125], [0.5], [0.875]])


def test_normal_by_hand():
    shaper = Quantile("normal").fit([[0.0], [1.0], [2.0], [3.0], [4.0]])
    # the deviate below which a quarter lies is -0.674490, and one in ten million -5.199338
    expected = [[-5.199338], [-0.674490], [0.0], [0.674490], [5.199338]]
    np.testing.assert_allclose(shaper.transform([[0.0], [1.0], [2.0], [3.0], [4.0]]), expected, atol=1e-6)


@pytest.mark.parametrize("n", [1, 3])
def test_constant_column_by_hand(n: int):
    shaper = Quantile().fit([[2.0]] * n)
    np.testing.assert_array_equal(shaper.transform([[1.0], [2.0], [3.0]]), [[0.0], [0.0], [1.0]])


@pytest.mark.parametrize("n", [2, 3, 50, 999, 1000, 1001, 3456])
def test_float32_equals_scikit_learn(n: int):
    x = smooth(n, BLOCK + 3).astype(np.float32)
    x[:, 1] = 0.1  # constant
    x[:, 2] = np.round(x[:, 2], 1)  # ties
    x[: n // 2, 4] = 0.0  # half the same
    fresh = np.concatenate([x, smooth(100, BLOCK + 3, seed=1).astype(np.float32)])
    ours = Quantile().fit(x).transform(fresh)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, reference(x).transform(fresh), atol=1e-6)


@pytest.mark.parametrize("output", ["uniform", "normal"])
@pytest.mark.parametrize("n", [2, 40, 1700])
def test_float64_equals_scikit_learn(n: int, output: str):
    x = smooth(n, 7)
    x[:, 1], x[:, 2] = 0.1, np.round(x[:, 2])
    fresh = np.concatenate([x, smooth(50, 7, seed=1)])
    np.testing.assert_allclose(
        Quantile(output).fit(x).transform(fresh), reference(x, output).transform(fresh), atol=1e-8
    )


def test_normal_of_float32_equals_scikit_learn_run_in_float64():
    # scikit-learn rounds shares to float32 before it takes their deviates, which moves the tails
    x = smooth(2500, 9).astype(np.float32)
    expected = reference(x.astype(np.float64), "normal").transform(x.astype(np.float64))
    np.testing.assert_allclose(Quantile("normal").fit_transform(x), expected, atol=1e-6)


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 300), st.integers(1, 30), st.integers(0, 10**6), st.sampled_from(["uniform", "normal"]))
def test_ties_fall_as_in_scikit_learn(n, distinct, seed, output):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, distinct, (n, 4)) / 3
    fresh = rng.integers(-1, distinct + 1, (20, 4)) / 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = Quantile(output).fit(x).transform(fresh)
    np.testing.assert_allclose(ours, reference(x, output).transform(fresh), atol=1e-8)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.integers(0, 10**6))
def test_never_descends_and_stays_within_bounds(n, seed):
    x = smooth(n, 2, seed)
    grid = np.sort(np.concatenate([x, 3 * smooth(40, 2, seed + 1)]), axis=0)
    out = Quantile().fit(x).transform(grid)
    assert out.min() >= 0
    assert out.max() <= 1
    assert (np.diff(out, axis=0) >= -1e-15).all()


def test_a_row_does_not_depend_on_its_neighbours():
    x = smooth(1500, 5).astype(np.float32)
    shaper = Quantile().fit(x)
    one_by_one = np.concatenate([shaper.transform(row[None]) for row in x[:50]])
    np.testing.assert_array_equal(shaper.transform(x)[:50], one_by_one)


def test_memory_order_does_not_matter():
    x = smooth(200, 5)
    np.testing.assert_array_equal(Quantile().fit_transform(np.asfortranarray(x)), Quantile().fit_transform(x))


def test_wrong_output_is_refused():
    with pytest.raises(InputError, match=r"'normall'.*did you mean 'normal'"):
        Quantile("normall").fit(smooth(5, 2))


def test_saved_quantiles_must_ascend():
    with pytest.raises(RecipeError, match="do not ascend"):
        Quantile().set_state({"quantiles": np.array([[0.0, 2.0, 1.0]])})
