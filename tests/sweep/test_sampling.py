from __future__ import annotations

import numpy as np

from attar.sweep.sampling import draw, sample_task
from attar.tasks.types import ClassifyTask, ClusterTask, StsTask


def numbered(n: int, mark: str = "t") -> tuple[str, ...]:
    return tuple(f"{mark}{i}" for i in range(n))


def test_no_more_rows_than_there_are() -> None:
    task = StsTask("s", numbered(5), numbered(5, "u"), np.arange(5.0))
    assert sample_task(task, None) is task
    assert sample_task(task, 5) is task
    assert draw(5, 9) is None


def test_pairs_keep_their_scores_and_order() -> None:
    task = StsTask("s", numbered(50), numbered(50, "u"), np.arange(50.0), numbered(50, "part"))
    taken = sample_task(task, 7)
    assert isinstance(taken, StsTask)
    rows = [int(text[1:]) for text in taken.left]
    assert rows == sorted(rows)
    assert len(rows) == 7
    assert taken.scores.tolist() == rows
    assert taken.right == tuple(f"u{i}" for i in rows)
    assert taken.subsets == tuple(f"part{i}" for i in rows)
    assert sample_task(task, 7).left == taken.left  # once and for all


def test_clusters_without_a_class_that_is_gone() -> None:
    labels = np.array([0] * 50 + [1] + [2] * 49)
    task = ClusterTask("c", numbered(100), labels, ("a", "b", "c"))
    taken = sample_task(task, 10)
    assert isinstance(taken, ClusterTask)
    assert set(taken.labels.tolist()) == set(range(len(taken.classes)))
    for text, label in zip(taken.texts, taken.labels, strict=True):
        assert taken.classes[label] == task.classes[labels[int(text[1:])]]


def test_half_of_the_rows_test_and_the_other_splits_shrink_alike() -> None:
    splits = {"train": slice(0, 60), "dev": slice(60, 70), "test": slice(70, 100)}
    task = ClassifyTask("k", numbered(100), (), np.arange(100) % 2, ("a", "b"), splits)
    taken = sample_task(task, 50)
    assert isinstance(taken, ClassifyTask)
    # 25 of the 30 that test; the other 25 from 60 and 10: 21.4 and 3.6
    assert {name: (s.start, s.stop) for name, s in taken.splits.items()} == {
        "train": (0, 21),
        "dev": (21, 25),
        "test": (25, 50),
    }
    rows = np.array([int(text[1:]) for text in taken.left])
    assert (rows[:21] < 60).all()
    assert ((rows[21:25] >= 60) & (rows[21:25] < 70)).all()
    assert (rows[25:] >= 70).all()
    assert taken.labels.tolist() == (rows % 2).tolist()


def test_a_small_test_is_taken_whole() -> None:
    task = ClassifyTask(
        "k", numbered(100), (), np.arange(100) % 2, ("a", "b"), {"train": slice(0, 90), "test": slice(90, 100)}
    )
    taken = sample_task(task, 60)
    assert isinstance(taken, ClassifyTask)
    assert taken.splits == {"train": slice(0, 50), "test": slice(50, 60)}


def test_pairs_to_classify_without_splits() -> None:
    task = ClassifyTask("k", numbered(20), numbered(20, "u"), np.arange(20) % 2, ("a", "b"))
    taken = sample_task(task, 8)
    assert isinstance(taken, ClassifyTask)
    assert taken.splits == {}
    assert [t[1:] for t in taken.left] == [t[1:] for t in taken.right]
    assert len(taken.left) == len(taken.labels) == 8
