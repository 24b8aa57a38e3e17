"""Agreement of clusters and classes against scikit-learn and against trying every matching."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from attar.scores.agreement import adjusted_rand_index, matched_accuracy, normalized_mutual_information, shared_counts

labels = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40)


def test_by_hand() -> None:
    classes, clusters = np.array([0, 0, 0, 1, 1, 1]), np.array([1, 1, 0, 0, 0, 0])
    counts = shared_counts(classes, clusters)
    assert counts.tolist() == [[1, 2], [3, 0]]
    assert matched_accuracy(counts) == pytest.approx(5 / 6)
    # pairs together in both 1 + 3 = 4, in classes 6, in clusters 1 + 6 = 7, by chance 6 * 7 / 15 = 2.8
    assert adjusted_rand_index(counts) == pytest.approx((4 - 2.8) / (6.5 - 2.8))


@settings(max_examples=60, deadline=None)
@given(labels)
def test_equal_to_scikit_learn_and_to_trying_all(pairs: list[tuple[int, int]]) -> None:
    classes, clusters = np.array(pairs).T
    counts = shared_counts(classes, clusters)
    best = max(np.mean(np.array(order)[clusters] == classes) for order in permutations(range(5)))
    assert matched_accuracy(counts) == pytest.approx(best)
    expected = normalized_mutual_info_score(classes, clusters)
    assert normalized_mutual_information(counts) == pytest.approx(expected, abs=1e-9)
    assert adjusted_rand_index(counts) == pytest.approx(adjusted_rand_score(classes, clusters), abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(labels, st.permutations(range(5)))
def test_names_of_clusters_do_not_matter(pairs: list[tuple[int, int]], order: list[int]) -> None:
    classes, clusters = np.array(pairs).T
    one, other = shared_counts(classes, clusters), shared_counts(classes, np.array(order)[clusters])
    for measure in (matched_accuracy, normalized_mutual_information, adjusted_rand_index):
        assert measure(one) == pytest.approx(measure(other))


def test_more_clusters_than_classes() -> None:
    assert matched_accuracy(shared_counts(np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3]))) == pytest.approx(0.5)
