"""What a folder holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from attar import tasks
from attar.errors import DataError
from attar.tasks.catalogue import CATALOGUE


def test_whole_missing_and_wrong_tasks_in_one_list(tmp_path: Path) -> None:
    header = "subset\tscore\tsentence1\tsentence2\n"
    (tmp_path / "STS13.test.tsv").write_text(header + "".join(f"x\t{row % 6}\ta\tb\n" for row in range(1500)))
    (tmp_path / "STS15.test.tsv").write_text(header + "x\t1\ta\tb\n")
    (tmp_path / "STS12.test.tsv").write_bytes(b"\xff\xfe broken")
    (tmp_path / "CR").mkdir()
    (tmp_path / "CR" / "custrev.pos").write_text("good\n" * 3000)
    (tmp_path / "CR" / "custrev.neg").write_text("bad\n" * 775)
    findings = {finding.task: finding for finding in tasks.check(tmp_path)}

    assert list(findings) == [declared.name for declared in CATALOGUE]
    assert findings["STS13"].status == "ok"
    assert findings["STS13"].found == findings["STS13"].expected == {"test": 1500}
    assert findings["STS13"].form == "tidy"
    assert findings["STS13"].paths == (tmp_path / "STS13.test.tsv",)
    assert findings["STS13"].problem == ""
    assert findings["STS15"].status == "wrong"
    assert findings["STS15"].found == {"test": 1}
    assert "holds 1 rows" in findings["STS15"].problem
    assert findings["STS12"].status == "wrong"
    assert "not valid UTF-8" in findings["STS12"].problem
    assert findings["CR"].status == "ok"
    assert findings["CR"].form == "SentEval"
    assert findings["CR"].found == {"all": 3775}
    assert findings["STR"].status == "missing"
    assert "Public at" in findings["STR"].problem
    assert sum(finding.status == "missing" for finding in findings.values()) == len(CATALOGUE) - 4


def test_the_folder_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not a folder"):
        tasks.check(tmp_path / "none")
