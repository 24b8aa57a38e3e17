"""From tables to tasks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import LabelEncoder

from attar.errors import DataError
from attar.tasks.build import classify_task, cluster_task, numbered, sts_task
from attar.tasks.readers.table import ColumnTable


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["red", "Green", "blue", "", "10", "9x"]), min_size=2, max_size=20))
def test_named_classes_are_numbered_as_scikit_learn_numbers_them(labels: list[str]) -> None:
    if len(set(labels)) < 2 or all(label.isdecimal() for label in labels):
        return
    encoder = LabelEncoder().fit(labels)
    numbers, classes = numbered(labels, "x")
    assert numbers.tolist() == encoder.transform(labels).tolist()
    assert list(classes) == encoder.classes_.tolist()


def test_numeric_classes_are_in_the_order_of_numbers() -> None:
    numbers, classes = numbered(["10", "9", "100", "9"], "x")
    assert classes == ("9", "10", "100")
    assert numbers.tolist() == [1, 0, 2, 0]
    assert numbers.dtype == np.int64


@pytest.mark.parametrize("labels", [["a", "a"], []])
def test_one_class_is_not_enough(labels: list[str]) -> None:
    with pytest.raises(DataError, match=r"one\.tsv: \d rows, all of one class .*at least 2 classes are needed"):
        numbered(labels, "one.tsv")


def test_scores_that_are_all_alike() -> None:
    table = ColumnTable("flat.tsv", {"score": ["2", "2.0"], "sentence1": ["a", "b"], "sentence2": ["c", "d"]})
    with pytest.raises(
        DataError, match=r"flat\.tsv: all 2 pairs have the score 2; a correlation needs scores that differ"
    ):
        sts_task("flat", table)


def test_duplicates_and_empty_texts_stay() -> None:
    table = ColumnTable("d.tsv", {"label": ["0", "0", "1", "1"], "text": ["same", "same", "", ""]})
    task = cluster_task("d", table)
    assert task.texts == ("same", "same", "", "")
    assert task.labels.tolist() == [0, 0, 1, 1]


def test_splits_lie_end_to_end() -> None:
    def part(*rows: tuple[str, str]) -> ColumnTable:
        return ColumnTable("p", {"label": [label for label, _ in rows], "text": [text for _, text in rows]})

    task = classify_task("t", {"train": part(("x", "a"), ("y", "b")), "test": part(("x", "c"))}, pairs=False)
    assert task.left == task.texts == ("a", "b", "c")
    assert task.splits == {"train": slice(0, 2), "test": slice(2, 3)}
    assert [task.left[task.splits["test"]]] == [("c",)]
    assert not task.soft


def test_subsets_are_kept_where_there_are_some() -> None:
    columns = {"score": ["1", "2"], "sentence1": ["a", "b"], "sentence2": ["c", "d"]}
    assert sts_task("t", ColumnTable("t", columns)).subsets == ()
    with_subsets = sts_task("t", ColumnTable("t", {**columns, "subset": ["news", "web"]}))
    assert with_subsets.subsets == ("news", "web")
    assert with_subsets.texts == ("a", "b", "c", "d")
