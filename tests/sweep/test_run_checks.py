from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from attar.cli import main
from attar.errors import DataError, InputError
from attar.sweep.run_checks import check_run, check_scored, failures
from attar.sweep.subjects import Subject
from sample_row import ROW


def test_the_reason_that_most_have() -> None:
    few, many = replace(ROW, score=None, error="few rows"), replace(ROW, score=None, error="no use")
    assert failures([]) is None
    assert failures([ROW, ROW]) is None
    assert failures([ROW, few]) == "1 cell has no score: few rows"
    assert failures([few, many, many]) == "3 cells have no score: no use (2 of them; attar report lists the rest)"
    check_scored([ROW, few], "run")


@pytest.mark.parametrize("family", ["sts", "clustering"])
@pytest.mark.parametrize("name", ["sts", "clustering", "isoscore"])
def test_runs_with_a_task_named_like_a_family_are_not_shown(name: str, family: str) -> None:
    """Earlier versions made such runs, and took the task for the family."""
    with pytest.raises(InputError, match=f"a task is called '{name}', .* rename its file"):
        check_run([ROW, replace(ROW, task=name, family=family, cell="other")], "run")
    check_run([ROW, replace(ROW, task="isoscore", family="isoscore", cell="other")], "run")


def test_a_sweep_that_scores_nothing_says_so(
    tiny_bert_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With exit code 2, as `attar score` does; a later sweep whose cells have scores is a success."""
    pairs, run = tmp_path / "pairs.tsv", tmp_path / "run"
    pairs.write_text("sentence1\tsentence2\tscore\nthe cat\tthe dog\t1\nthe mat\tthe cat\t2\n")
    grid = tmp_path / "grid.toml"
    grid.write_text(f'tasks = ["{pairs}"]\n')
    command = ["sweep", "--grid", str(grid), "--model", str(tiny_bert_dir), "-o", str(run)]
    with monkeypatch.context() as patch:

        def refuse(*_: object) -> None:
            raise DataError("no use")

        patch.setattr(Subject, "score", refuse)
        with pytest.raises(SystemExit) as stopped:
            main(command)
    assert stopped.value.code == 2
    assert "nothing was scored: 1 cell has no score: no use" in capsys.readouterr().err
    check_not_shown(run, capsys)
    main([*command, "--tasks", str(pairs)])
    main(["best", str(run)])


def check_not_shown(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["best", str(run)], ["report", str(run), "-o", str(run.parent / "report.html")]):
        with pytest.raises(SystemExit) as stopped:
            main(command)
        assert stopped.value.code == 2
        assert "1 cell has no score: " in capsys.readouterr().err
