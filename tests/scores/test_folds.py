from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from attar.errors import DataError
from attar.scores.folds import stratified_folds


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=10, max_size=80), st.integers(0, 100))
def test_every_fold_has_its_share(labels: list[int], seed: int) -> None:
    given_labels = np.array([*labels, *[0] * 10])
    folds = stratified_folds(given_labels, seed, "task")
    assert set(folds) == set(range(10))
    for label in set(labels):
        sizes = np.bincount(folds[given_labels == label], minlength=10)
        assert sizes.max() - sizes.min() <= 1
    sizes = np.bincount(folds)
    assert sizes.max() - sizes.min() <= 1


def test_as_balanced_as_scikit_learn() -> None:
    labels = np.random.default_rng(0).choice(3, size=997, p=[0.7, 0.25, 0.05])
    folds = stratified_folds(labels, 0, "task")
    theirs = StratifiedKFold(10, shuffle=True, random_state=0).split(labels, labels)
    expected = sorted(tuple(np.bincount(labels[held_out], minlength=3)) for _, held_out in theirs)
    ours = sorted(tuple(np.bincount(labels[folds == fold], minlength=3)) for fold in range(10))
    np.testing.assert_allclose(ours, expected, atol=1)


def test_the_seed_decides() -> None:
    labels = np.arange(60) % 2
    np.testing.assert_array_equal(stratified_folds(labels, 1, "task"), stratified_folds(labels, 1, "task"))
    assert (stratified_folds(labels, 1, "task") != stratified_folds(labels, 2, "task")).any()


def test_small_classes_make_fewer_folds() -> None:
    assert set(stratified_folds(np.array([0, 0, 0, 0, 1, 1]), 0, "task")) == {0, 1, 2, 3}


def test_too_few_rows() -> None:
    with pytest.raises(DataError, match="tiny has 4 rows to cross-validate on, at most 2 of a class"):
        stratified_folds(np.array([0, 0, 1, 1]), 0, "tiny")
