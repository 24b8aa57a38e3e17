"""The table of tasks says what the paper's tables say."""

from __future__ import annotations

import pytest

from attar import tasks
from attar.tasks.catalogue import CATALOGUE, PAPER

# Of the paper's two tables of datasets.
SPLITS = {
    "STS12": (3108,),
    "STS13": (1500,),
    "STS14": (3750,),
    "STS15": (3000,),
    "STS16": (1186,),
    "STS-B": (5749, 1500, 1379),
    "SICK-R": (4500, 500, 4927),
    "STR": (5500,),
    "agnews": (8000,),
    "biomedical": (20000,),
    "googleTS": (11109,),
    "searchsnippets": (12340,),
    "stackoverflow": (20000,),
    "tweet": (2472,),
    "MR": (10662,),
    "CR": (3775,),
    "SUBJ": (10000,),
    "MPQA": (10606,),
    "SST2": (67349, 872, 1821),
    "MRPC": (4076, 1725),
    "SCICITE": (7320, 916, 1861),
    "SICK-E": (4500, 500, 4927),
    "SST5": (8544, 1101, 2210),
    "TREC": (5452, 500),
    "SICK-R-soft": (4500, 500, 4927),
    "STS-B-soft": (5749, 1500, 1379),
}
CLASSES = {
    "agnews": 4, "biomedical": 20, "googleTS": 152, "searchsnippets": 8, "stackoverflow": 20, "tweet": 89,
    "MR": 2, "CR": 2, "SUBJ": 2, "MPQA": 2, "SST2": 2, "MRPC": 2, "SCICITE": 3, "SICK-E": 3, "SST5": 5, "TREC": 6,
    "SICK-R-soft": 5, "STS-B-soft": 6,
}  # fmt: skip


def test_rows_and_classes_are_the_papers() -> None:
    assert {d.name: tuple(d.rows.values()) for d in PAPER} == SPLITS
    assert {d.name: d.n_classes for d in PAPER if d.n_classes is not None} == CLASSES


def test_what_is_loaded_by_default() -> None:
    assert tasks.declaration("STS-B").scored_splits == ("test",)
    assert tasks.declaration("SICK-R").scored_splits == ("test",)
    assert tasks.declaration("STR").scored_splits == ("all",)
    assert tasks.declaration("SST2").scored_splits == ("train", "dev", "test")


def test_only_the_two_soft_tasks_are_soft() -> None:
    assert [d.name for d in PAPER if d.soft] == ["SICK-R-soft", "STS-B-soft"]


@pytest.mark.parametrize("declared", CATALOGUE, ids=lambda d: d.name)
def test_every_form_names_a_file_for_every_split(declared: tasks.Declaration) -> None:
    assert declared.forms, "an original form"
    for form in declared.all_forms:
        for split in declared.splits:
            assert form.files(split)
            assert form.title
            assert form.folders


@pytest.mark.parametrize("declared", CATALOGUE, ids=lambda d: d.name)
def test_every_task_says_where_it_is_public_and_on_what_terms(declared: tasks.Declaration) -> None:
    assert declared.licence
    assert all(source.startswith(("https://", "http://", "hub:")) for source in declared.sources)
    assert declared.sources


def test_declarations_can_be_keys() -> None:
    assert len(set(PAPER)) == 26
    assert len(set(CATALOGUE)) == len(CATALOGUE)
