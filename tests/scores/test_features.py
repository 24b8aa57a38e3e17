from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.errors import DataError
from attar.scores.features import class_targets, pair_features, soft_targets, standardised


def test_pairs_by_hand() -> None:
    features = pair_features(np.array([[1.0, 2]]), np.array([[3.0, -1]]))
    assert features.tolist() == [[2, 3, 3, -2]]
    assert features.dtype == np.float32


def test_the_order_of_a_pair_does_not_matter() -> None:
    left, right = np.random.default_rng(0).normal(size=(2, 5, 3))
    np.testing.assert_array_equal(pair_features(left, right), pair_features(right, left))


def test_soft_targets_by_hand() -> None:
    targets, values = soft_targets(np.array([1.0, 3.6, 5.0]))
    assert values.tolist() == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(targets.T, [[1, 0, 0, 0, 0], [0, 0, 0.4, 0.6, 0], [0, 0, 0, 0, 1]], atol=1e-7)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 5), min_size=2, max_size=20))
def test_soft_targets_sum_to_one_and_mean_the_score(scores: list[float]) -> None:
    given_scores = np.array([0, *scores, 5])
    targets, values = soft_targets(given_scores)
    assert values.tolist() == [0, 1, 2, 3, 4, 5]
    np.testing.assert_allclose(targets.sum(axis=0), 1, atol=1e-6)
    np.testing.assert_allclose(values @ targets, given_scores, atol=1e-5)


@pytest.mark.parametrize(("scores", "n"), [([0, 100], 101), ([2, 2], 1)])
def test_scales_that_make_no_soft_classes(scores: list[float], n: int) -> None:
    with pytest.raises(DataError, match=f"would make {n} soft classes"):
        soft_targets(np.array(scores, dtype=float))


def test_targets_of_classes() -> None:
    assert class_targets(np.array([0, 1, 1]), 2).tolist() == [[0, 1, 1]]
    assert class_targets(np.array([0, 2]), 3).tolist() == [[1, 0], [0, 0], [0, 1]]


def test_standardised_by_the_training_rows() -> None:
    rows = np.array([[1, 5], [3, 5], [100, 9]], dtype=np.float32)
    np.testing.assert_allclose(standardised(rows, slice(0, 2)), [[-1, 0], [1, 0], [98, 0]], atol=1e-5)
