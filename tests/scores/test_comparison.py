"""Differences between recipes on the same rows, and the best of many."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from attar import scores
from attar.errors import InputError
from attar.scores.comparison import best_of_many, difference
from attar.scores.correlation import bootstrap_mean
from attar.tasks.types import ClassifyTask, ClusterTask, StsTask


def test_a_difference_by_hand():
    found = difference(0.7, [0.7, 0.8, 0.6], 0.6, [0.6, 0.7, 0.5])  # 0.1 in each draw
    assert (found.value, found.low, found.high) == pytest.approx((0.1, 0.1, 0.1))
    assert found.is_sure
    unsure = difference(0.7, [0.8, 0.6], 0.7, [0.7, 0.7])  # +0.1 and -0.1
    assert not unsure.is_sure
    assert (unsure.low, unsure.high) == pytest.approx((-0.095, 0.095))  # 95 % between the two


def test_a_mean_is_resampled_as_scipy_does():
    random = np.random.default_rng(0)
    a, b = random.random(400), random.random(400)
    ours = difference(a.mean(), bootstrap_mean(a, 4000, 0), b.mean(), bootstrap_mean(b, 4000, 0))
    theirs = stats.bootstrap(
        (a, b), lambda x, y, axis: x.mean(axis) - y.mean(axis), paired=True, vectorized=True, method="percentile",
        n_resamples=4000, rng=1,
    ).confidence_interval  # fmt: skip
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.004)


def test_paired_rows_vary_less_than_two_intervals():
    random = np.random.default_rng(1)
    gold = random.random(300)
    close = gold + random.normal(size=300)
    task = StsTask("pairs", ("a",) * 300, ("b",) * 300, gold)
    angles = np.arccos(np.clip((close - close.min()) / np.ptp(close), -1, 1))
    left = np.tile([1.0, 0.0], (300, 1))
    first = scores.score(np.concatenate([left, np.stack([np.cos(angles), np.sin(angles)], 1)]), task)
    angles = angles + random.normal(size=300) * 0.02
    second = scores.score(np.concatenate([left, np.stack([np.cos(angles), np.sin(angles)], 1)]), task)
    found = difference(first["score"], first["draws"], second["score"], second["draws"])
    assert found.high - found.low < 0.5 * (first["high"] - first["low"])
    assert len(first["draws"]) == 1000
    assert np.mean(first["draws"]) == pytest.approx(first["score"], abs=0.01)


@pytest.mark.parametrize("splits", [{}, {"train": slice(0, 60), "test": slice(60, 120)}])
def test_draws_of_classes_are_about_the_score(splits):
    labels = np.arange(120) % 2
    vectors = np.random.default_rng(0).normal(size=(120, 4)) + labels[:, None]
    found = scores.score(vectors, ClassifyTask("classes", ("a",) * 120, (), labels, ("a", "b"), splits), resamples=300)
    assert np.mean(found["draws"]) == pytest.approx(found["score"], abs=0.02)
    share, n = found["score"], 120 if not splits else 60
    assert np.std(found["draws"]) == pytest.approx(np.sqrt(share * (1 - share) / n), rel=0.2)


def test_draws_of_clusters_are_about_the_score():
    labels = np.arange(200) % 2
    vectors = np.random.default_rng(0).normal(size=(200, 4)) + 2 * labels[:, None]
    found = scores.score(vectors, ClusterTask("groups", ("a",) * 200, labels, ("a", "b")), runs=3)
    assert 0.9 < found["score"] < 1
    assert np.mean(found["draws"]) == pytest.approx(found["score"], abs=0.005)


def test_the_best_of_equals_is_luck():
    random = np.random.default_rng(0)
    rows = random.random((50, 400)) < 0.5  # 50 recipes that guess
    reached = rows.mean(axis=1)
    found = best_of_many(reached, [bootstrap_mean(row.astype(float), 500, 0) for row in rows])
    assert found.place == reached.argmax()
    assert found.score > 0.53  # looks better than a guess
    assert found.corrected == pytest.approx(0.5, abs=0.025)
    assert found.tied.mean() > 0.9


def test_a_recipe_that_is_better_stands_alone():
    random = np.random.default_rng(0)
    rows = random.random((20, 1000)) < np.array([0.9, *[0.6] * 19])[:, None]
    found = best_of_many(rows.mean(axis=1), [bootstrap_mean(row.astype(float), 500, 0) for row in rows])
    assert found.place == 0
    assert found.tied.tolist() == [True] + [False] * 19
    assert found.optimism < 0.001


def test_the_same_draws_leave_no_doubt():
    found = best_of_many([0.5, 0.6, 0.6], [[0.5, 0.5], [0.6, 0.6], [0.6, 0.6]])
    assert (found.place, found.optimism, found.tied.tolist()) == (1, 0.0, [False, True, True])


def test_draws_of_other_lengths_are_refused():
    with pytest.raises(InputError, match="same resamples"):
        difference(0.1, [0.1, 0.2], 0.1, [0.1])
    with pytest.raises(InputError, match="do not fit together"):
        best_of_many([0.1], [[0.1], [0.2]])
