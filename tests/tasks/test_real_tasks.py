"""Every dataset of a real folder loads with exactly the published rows and classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attar import tasks


@pytest.fixture(scope="module")
def findings(data_dir: Path) -> dict[str, tasks.Finding]:
    return {finding.task: finding for finding in tasks.check(data_dir)}


@pytest.mark.parametrize("name", tasks.names())
def test_real_task(data_dir: Path, findings: dict[str, tasks.Finding], name: str) -> None:
    declared = tasks.declaration(name)
    finding = findings[name]
    if finding.status == "missing":
        pytest.skip(f"{name} is not in {data_dir}")
    assert finding.status == "ok", finding.problem
    task = tasks.load(name, data_dir)
    n_rows = sum(declared.rows[split] for split in declared.scored_splits)
    assert task.name == name
    assert task.family == declared.family
    assert len(task.texts) == n_rows * (2 if declared.pairs else 1)
    if isinstance(task, tasks.StsTask):
        assert declared.scale is not None
        assert len(task.scores) == len(task.left) == len(task.right) == len(task.subsets) == n_rows
        assert declared.scale[0] <= task.scores.min() < task.scores.max() <= declared.scale[1]
    elif isinstance(task, tasks.ClusterTask) or not task.soft:
        assert np.unique(task.labels).tolist() == list(range(declared.n_classes or 0))
    if isinstance(task, tasks.ClassifyTask):
        assert {split: part.stop - part.start for split, part in task.splits.items()} == {
            split: rows for split, rows in declared.rows.items() if split != "all"
        }


def test_known_facts_of_real_data(data_dir: Path) -> None:
    opinions = tasks.load("MPQA", data_dir)
    assert sum(not text for text in opinions.texts) == 3
    questions = tasks.load("TREC", data_dir)
    assert isinstance(questions, tasks.ClassifyTask)
    assert questions.classes == ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")
    year = tasks.load("STS12", data_dir)
    assert isinstance(year, tasks.StsTask)
    assert sorted(set(year.subsets)) == ["MSRpar", "MSRvid", "SMTeuroparl", "surprise.OnWN", "surprise.SMTnews"]
    assert len(tasks.load("STS-B", data_dir, split="train").texts) == 2 * 5749
    assert len(tasks.load("SICK-R", data_dir, split="dev").texts) == 2 * 500
