"""A job's folder after kills, damage and other processes: gone on with, or refused, never mixed."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from attar.corpus.jobs.job_folder import JobFolder
from attar.errors import DataError, OutputError


@pytest.fixture
def folder(tmp_path: Path) -> JobFolder:
    made = JobFolder.at(tmp_path / "out")
    with made.begun({"input": 1}, {"sources": []}):
        finish(made, "part-00000")
    return made


def finish(folder: JobFolder, name: str) -> None:
    with folder.writing(f"{name}.parquet") as aside:
        aside.write_text("data")
    folder.mark(name, f"{name}.parquet", {})


def test_one_process_at_a_time(folder: JobFolder) -> None:
    with folder.begun({"input": 1}, {}):
        (folder.path / ".part-00001.parquet.0.part").touch()
        with pytest.raises(OutputError, match="another process is writing to"), folder.begun({"input": 1}, {}):
            pass
        assert (folder.path / ".part-00001.parquet.0.part").exists()
    with folder.begun({"input": 1}, {}):
        assert folder.done() == {"part-00000"}


def test_what_a_killed_driver_left_is_swept_also_folders(folder: JobFolder) -> None:
    (folder.path / ".press.x.part").mkdir()
    (folder.path / ".press.x.part" / "recipe.json").touch()
    with folder.begun({"input": 1}, {}):
        assert not list(folder.path.glob(".*"))


@pytest.mark.parametrize("content", ["", "[1]", "null", "{}", '{"file": 3}', '{"file": "part-00000.parquet"}'])
def test_a_damaged_mark_is_none(folder: JobFolder, content: str) -> None:
    (folder.path / "_done" / "part-00000.json").write_text(content)
    assert folder.done() == set()


def test_a_mark_that_was_changed_is_none(folder: JobFolder) -> None:
    mark = folder.path / "_done" / "part-00000.json"
    assert folder.done() == {"part-00000"}
    mark.write_text(mark.read_text().replace('"bytes"', '"rows": [], "bytes"'))
    assert folder.done() == set()
    with pytest.raises(DataError, match="is not as it was written; remove it and run the same command again"):
        folder.facts("part-00000")


def test_a_mark_without_its_file_is_none(folder: JobFolder) -> None:
    (folder.path / "part-00000.parquet").write_text("dat")
    assert folder.done() == set()
    (folder.path / "part-00000.parquet").unlink()
    assert folder.done() == set()


def test_parts_of_unknown_origin_are_not_taken_over(folder: JobFolder) -> None:
    (folder.path / "_plan.json").write_text("{")
    with pytest.raises(OutputError, match=r"plan is missing or damaged.*--overwrite"), folder.begun({"input": 2}, {}):
        pass
    with folder.begun({"input": 2}, {}, overwrite=True):
        assert folder.done() == set()
        assert not list(folder.path.glob("*.parquet"))


def test_overwrite_goes_on_with_an_unfinished_run_of_the_same_job(folder: JobFolder) -> None:
    with folder.begun({"input": 1}, {}, overwrite=True):
        assert folder.done() == {"part-00000"}
    (folder.path / "_manifest.json").touch()
    with folder.begun({"input": 1}, {}, overwrite=True):
        assert folder.done() == set()
    with folder.begun({"input": 2}, {}, overwrite=True):
        pass
    with pytest.raises(OutputError, match="begun with different input"), folder.begun({"input": 1}, {}):
        pass


def test_a_full_disk_is_one_line(folder: JobFolder) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    told = r"can't write .*part-00001\.parquet': .*No space left"
    with pytest.raises(OutputError, match=told), folder.writing("part-00001.parquet"):
        raise full
    assert not list(folder.path.glob(".*"))


def test_plans_of_other_versions_are_made_anew(folder: JobFolder) -> None:
    (folder.path / "_plan.json").write_text('{"identity": {}, "plan": {"sources": [{"path": "a.txt", "new": 1}]}}')
    assert folder.known_sources() == []


def test_a_plan_that_was_altered_is_made_anew(tmp_path: Path) -> None:
    folder = JobFolder.at(tmp_path / "other")
    source = {"path": "a.txt", "size": 1, "modified_ns": 1, "changed_ns": 1, "sha256": "0", "rows": 1}
    lists: dict[str, Any] = {"asked": [None, None], "fields": [], "places": [0]}
    path = folder.path / "_plan.json"
    with folder.begun({"a": 1}, {"shards": 1, "sources": [source | lists]}):
        pass
    assert [known.path for known in folder.known_sources()] == ["a.txt"]
    path.write_text(path.read_text().replace('"a.txt"', "1e+308"))
    assert folder.known_sources() == []


def test_a_folder_in_a_place_that_others_own(folder: JobFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = folder.path.parent
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != parent)
    assert JobFolder.at(folder.path) == folder
    with pytest.raises(OutputError, match="no permission"):
        JobFolder.at(parent / "new")
