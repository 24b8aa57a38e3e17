"""Correlations against scipy, and the bootstrap against ranking every resample anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr

from attar.scores import correlation
from attar.scores.correlation import bootstrap_pearson, bootstrap_spearman, pearson, spearman

series = st.lists(st.integers(-5, 5), min_size=4, max_size=30)


def test_spearman_by_hand() -> None:
    # ranks 1 2 3 4 and 2 1 3 4: 1 - 6 * (1 + 1) / (4 * 15) = 0.8
    assert spearman(np.array([1.0, 2, 3, 40]), np.array([0.2, 0.1, 0.3, 0.4])) == pytest.approx(0.8)


def test_ties_share_their_mean_rank() -> None:
    # ranks 1.5 1.5 3 and 1 2 3: covariance 1.5, variances 1.5 and 2
    assert spearman(np.array([5.0, 5, 7]), np.array([1.0, 2, 3])) == pytest.approx(1.5 / np.sqrt(1.5 * 2))


@settings(max_examples=50, deadline=None)
@given(series, st.randoms(use_true_random=False))
def test_equal_to_scipy_with_many_ties(values: list[int], random) -> None:
    x = np.array(values, dtype=float)
    y = np.array(random.choices(values, k=len(values)), dtype=float)
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
        assert pearson(x, y) == pytest.approx(pearsonr(x, y).statistic, abs=1e-12)
    else:
        assert spearman(x, y) == pearson(x, y) == 0


@settings(max_examples=20, deadline=None)
@given(series)
def test_spearman_sees_only_the_order(values: list[int]) -> None:
    x, y = np.array(values, dtype=float), np.arange(len(values)) % 3.0
    assert spearman(np.exp(x), y) == pytest.approx(spearman(x, y), abs=1e-12)
    assert spearman(-x, y) == pytest.approx(-spearman(x, y), abs=1e-12)


@pytest.mark.parametrize("numbers_at_once", [50, 2**21])
def test_bootstrap_ranks_every_resample_anew(monkeypatch: pytest.MonkeyPatch, numbers_at_once: int) -> None:
    monkeypatch.setattr(correlation, "RESAMPLES_AT_ONCE", numbers_at_once)
    random = np.random.default_rng(3)
    x = random.normal(size=25).round(1)  # with ties
    y = (x + random.normal(size=25)).round(0)
    drawn = _same_draws(25, 40, numbers_at_once)
    expected_spearman = [spearmanr(x[d], y[d]).statistic for d in drawn]
    expected_pearson = [pearsonr(x[d], y[d]).statistic for d in drawn]
    np.testing.assert_allclose(bootstrap_spearman(x, y, 40, seed=7), expected_spearman, atol=1e-12)
    np.testing.assert_allclose(bootstrap_pearson(x, y, 40, seed=7), expected_pearson, atol=1e-12)


def _same_draws(n_pairs: int, resamples: int, numbers_at_once: int) -> np.ndarray:
    random = np.random.default_rng(7)
    at_once = max(1, numbers_at_once // n_pairs)
    sizes = [min(at_once, resamples - start) for start in range(0, resamples, at_once)]
    return np.concatenate([random.integers(n_pairs, size=(size, n_pairs)) for size in sizes])


def test_a_resample_of_one_value_counts_as_zero() -> None:
    found = bootstrap_spearman(np.array([0.0, 1.0]), np.array([0.0, 1.0]), 50, seed=0)
    assert set(found) == {0.0, 1.0}  # both pairs drawn, or one of them twice
