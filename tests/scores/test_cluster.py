from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from attar import scores
from attar.errors import DataError, InputError
from attar.scores.agreement import matched_accuracy, shared_counts
from attar.tasks.types import ClusterTask


def a_task(labels: list[int] | np.ndarray, n_classes: int | None = None) -> ClusterTask:
    numbers = np.array(labels, dtype=np.int64)
    k = n_classes if n_classes is not None else int(numbers.max(initial=-1)) + 1
    return ClusterTask("clouds", ("text",) * len(numbers), numbers, tuple(map(str, range(k))))


@pytest.fixture(scope="module")
def clouds() -> tuple[np.ndarray, ClusterTask]:
    random = np.random.default_rng(1)
    labels = random.integers(6, size=400)
    centers = random.normal(size=(6, 5)) * 1.6
    return (centers[labels] + random.normal(size=(400, 5))).astype(np.float32), a_task(labels)


def test_clouds_far_apart_are_found() -> None:
    labels = [0, 0, 1, 1, 2, 2]
    vectors = np.array(labels)[:, None] * 100.0 + np.arange(6)[:, None] % 2
    found = scores.cluster(vectors, a_task(labels), runs=3)
    assert (found["accuracy"], found["nmi"], found["ari"], found["accuracy_sd"]) == (1, 1, 1, 0)
    assert (found["low"], found["high"]) == (1, 1)
    assert found["inertia"] == pytest.approx(6 * 0.25)


def test_as_scikit_learn_finds_them(clouds: tuple[np.ndarray, ClusterTask]) -> None:
    vectors, task = clouds
    found = scores.cluster(vectors, task)
    fits = [KMeans(6, n_init=10, random_state=seed).fit(vectors) for seed in range(10)]
    expected = [matched_accuracy(shared_counts(task.labels, fit.labels_)) for fit in fits]
    assert found["accuracy"] == pytest.approx(np.mean(expected), abs=0.02)
    assert found["inertia"] == pytest.approx(np.mean([fit.inertia_ for fit in fits]), rel=5e-3)
    assert found["low"] <= found["accuracy"] <= found["high"]


def test_runs_differ_and_the_seed_repeats_them(clouds: tuple[np.ndarray, ClusterTask]) -> None:
    vectors, task = clouds
    one, same, other = (scores.cluster(vectors, task, runs=4, n_init=1, seed=seed) for seed in (0, 0, 1))
    assert one == same
    assert one != other
    assert one["accuracy_sd"] > 0
    assert one["low"] < one["accuracy"] < one["high"]


def test_one_run_has_no_spread(clouds: tuple[np.ndarray, ClusterTask]) -> None:
    found = scores.cluster(*clouds, runs=1, n_init=1)
    assert found["low"] == found["accuracy"] == found["high"]
    assert found["accuracy_sd"] == 0


def test_more_classes_than_texts() -> None:
    with pytest.raises(DataError, match="clouds has 5 classes and 3 texts"):
        scores.cluster(np.eye(3), a_task([0, 1, 2], n_classes=5))


@pytest.mark.parametrize("task", [a_task([0, 0, 0]), a_task([0, 0, 0], n_classes=2)])
def test_one_class_alone(task: ClusterTask) -> None:
    with pytest.raises(DataError, match="1 class alone"):
        scores.cluster(np.eye(3), task)


@pytest.mark.parametrize("label", [-1, 2])
def test_a_label_out_of_range(label: int) -> None:
    with pytest.raises(DataError, match=f"the label {label}; with 2 classes labels go from 0 to 1"):
        scores.cluster(np.eye(3), a_task([0, 1, label], n_classes=2))


def test_wrong_numbers() -> None:
    with pytest.raises(InputError, match="4 vectors for the 3 texts of clouds"):
        scores.cluster(np.eye(4), a_task([0, 1, 1]))
    with pytest.raises(InputError, match="runs=0"):
        scores.cluster(np.eye(3), a_task([0, 1, 1]), runs=0)
    with pytest.raises(DataError, match="2 labels for 3 rows"):
        scores.cluster(np.eye(3), ClusterTask("clouds", ("a",) * 3, np.array([0, 1]), ("0", "1")))


def test_no_texts() -> None:
    with pytest.raises(InputError, match=r"\(0, 4\)"):
        scores.cluster(np.ones((0, 4)), a_task([]))
