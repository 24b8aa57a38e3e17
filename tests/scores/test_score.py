"""One door for every kind of task."""

from __future__ import annotations

import numpy as np
import pytest

from attar import scores
from attar.errors import InputError
from attar.tasks.types import ClassifyTask, ClusterTask, StsTask, Task

LABELS = np.arange(40) % 2
TEXTS = ("text",) * 40
SPLITS = {"train": slice(0, 20), "dev": slice(20, 30), "test": slice(30, 40)}
VECTORS = np.random.default_rng(0).normal(size=(80, 4)) + np.tile(LABELS, 2)[:, None]

PAIRS = StsTask("pairs", TEXTS, TEXTS, np.arange(40.0))
CLUSTERS = ClusterTask("clusters", TEXTS, LABELS, ("a", "b"))
CLASSES = ClassifyTask("classes", TEXTS, (), LABELS, ("a", "b"))
SOFT = ClassifyTask("soft", TEXTS, TEXTS, np.linspace(1, 5, 40)[np.argsort(LABELS)], ("1", "2"), SPLITS, soft=True)


@pytest.mark.parametrize(
    ("task", "function", "metric"),
    [
        (PAIRS, scores.sts, "spearman"),
        (CLUSTERS, scores.cluster, "accuracy"),
        (CLASSES, scores.classify, "accuracy"),
        (SOFT, scores.classify, "pearson"),
    ],
)
def test_the_main_number_and_all_others(task: Task, function, metric: str) -> None:
    vectors = VECTORS[: len(task.texts)]
    found = scores.score(vectors, task)
    assert found["metric"] == metric
    assert found["score"] == found[metric]
    assert found["low"] <= found["score"] <= found["high"]
    assert {key: value for key, value in found.items() if key not in ("metric", "score")} == function(vectors, task)


def test_something_else() -> None:
    with pytest.raises(InputError, match="str is no task"):
        scores.score(VECTORS, "STS12")
