"""What is there already stays: what a command reads, and what lies where it would work, is never overwritten."""

from __future__ import annotations

import os
import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from attar.cli import main
from attar.encoders.table import Table
from attar.errors import OutputError
from attar_process import Ended, run

TEXTS = [
    f"the {colour} {what}"
    for colour in ("red", "blue", "green", "seven")
    for what in ["cat", "dog", "mat", "tree", "man"]
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, tiny_bert_dir: Path) -> Path:
    here = tmp_path_factory.mktemp("made") / "here"
    here.mkdir()
    (here / "t.txt").write_text("\n".join(TEXTS) + "\n")
    (here / "t.csv").write_text("text\n" + "\n".join(TEXTS) + "\n")
    (here / "t.jsonl").write_text("".join(f'{{"text": "{text}"}}\n' for text in TEXTS))
    shutil.copytree(tiny_bert_dir, here / "model")
    ended = run("static", "--model", "model", "--on", "t.txt", "-o", "table", cwd=here)
    assert ended.code == 0, ended
    return here


@pytest.fixture
def here(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "here"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(here: Path, *command: str) -> Ended:
    before = contents(here)
    ended = run(*command, cwd=here)
    assert ended.code == 2, ended
    assert contents(here) == before
    return ended


@pytest.mark.parametrize(
    "command",
    [
        ["encode", "t.jsonl", "--model", "table", "-o", "t.jsonl"],
        ["encode", "t.jsonl", "--model", "table", "-o", "link.jsonl"],
        ["encode", "t.jsonl", "--model", "table", "-o", "other-name.jsonl"],
        ["encode", "t.txt", "--model", "model", "-o", "model/model.safetensors"],
        ["encode", "t.txt", "--model", "table", "--background", "t.jsonl", "-o", "t.jsonl"],
        ["duplicates", "t.csv", "--model", "table", "-o", "t.csv"],
        ["duplicates", "t.csv", "--model", "table", "-o", "out.csv", "--cleaned", "t.csv"],
        ["duplicates", "t.txt", "t.csv", "--model", "table", "-o", "t.csv"],
    ],
    ids=" ".join,
)
def test_what_is_read(here: Path, command: list[str]) -> None:
    (here / "link.jsonl").symlink_to("t.jsonl")
    os.link(here / "t.jsonl", here / "other-name.jsonl")
    assert "it is read from" in refused(here, *command).err


def test_one_file_for_two_results(here: Path) -> None:
    said = refused(here, "duplicates", "t.csv", "--model", "table", "-o", "o.csv", "--cleaned", "./o.csv").err
    assert "name two files" in said


@pytest.mark.parametrize("name", [".out.unfinished", "out.choosing"])
def test_folders_of_others_where_work_would_go(here: Path, name: str) -> None:
    (here / name).mkdir()
    (here / name / "mine.txt").write_text("mine")
    command = ["index", "t.txt", "--recipe", "plain"] if "unfinished" in name else ["choose", "t.txt", "--sample", "20"]
    said = refused(here, *command, "--model", "table", "-o", "out").err
    assert "'mine.txt', and it is not the work of an earlier run" in said
    (here / name / "mine.txt").unlink()  # an empty one may be anyone's
    assert run(*command, "--model", "table", "-o", "out", cwd=here).code == 0
    assert not (here / name).exists()


def test_work_of_a_choice_that_was_killed_when_all_was_done(here: Path) -> None:
    command = ["choose", "t.txt", "--sample", "20", "--model", "table", "-o", "out"]
    assert run(*command, "--keep", cwd=here).code == 0
    assert "it exists" in run(*command, cwd=here).err
    assert (here / "out.choosing").is_dir()  # it was to be kept
    (here / "out.choosing" / "kept").unlink()
    assert "it exists" in run(*command, "--keep", cwd=here).err
    assert (here / "out.choosing").is_dir()
    assert "it exists" in run(*command, cwd=here).err
    assert not (here / "out.choosing").exists()


def test_a_page_of_others(here: Path) -> None:
    command = ["choose", "t.txt", "--sample", "20", "--ask", "3", "--web", "--model", "table", "-o", "out"]
    (here / "out.html").write_text("<!DOCTYPE html>my page")
    assert "it is not a page of questions" in refused(here, *command).err
    (here / "out.html").unlink()
    for _ in range(2):  # its own page is written anew
        assert run(*command, cwd=here).code == 0
    assert b"script-src 'sha256-" in (here / "out.html").read_bytes()


@pytest.mark.parametrize("texts", ["same\n" * 100, "\n" * 100, "a\nb\n"], ids=["equal", "blank", "few"])
def test_nothing_is_left_where_no_choice_can_be_made(here: Path, texts: str) -> None:
    (here / "few.txt").write_text(texts)
    said = refused(here, "choose", "few.txt", "--model", "table", "-o", "out").err
    assert "too few to choose by: " in said
    assert not (here / "out.choosing").exists()


def test_two_ways_out_at_once(here: Path) -> None:
    assert (
        "give one of them"
        in refused(here, "explain", "a cat", "a dog", "--model", "table", "--json", "-o", "o.png").err
    )
    assert run("index", "t.txt", "--recipe", "plain", "--model", "table", "-o", "i", cwd=here).code == 0
    assert "give one of them" in refused(here, "index", "t.txt", "--add", "--overwrite", "-o", "i").err


def test_no_queries_and_no_answers_are_told(here: Path) -> None:
    assert run("index", "t.txt", "--recipe", "plain", "--model", "table", "-o", "i", cwd=here).code == 0
    assert "holds no texts" in refused(here, "search", "i", "--queries", os.devnull).err
    (here / "none.jsonl").write_text("\n")
    said = refused(here, "choose", "t.txt", "--model", "table", "--answers", "none.jsonl", "-o", "out").err
    assert "holds no answers" in said


def test_ids_that_are_no_unicode_leave_no_work(here: Path) -> None:
    (here / "half.jsonl").write_text('{"id": "\\ud800", "text": "a"}\n')
    assert (
        "half a character"
        in refused(here, "index", "half.jsonl", "--recipe", "plain", "--model", "table", "-o", "i").err
    )
    assert not list(here.glob(".*"))


@pytest.mark.parametrize("seed", ["-1", "4294967296"])
def test_seeds_that_no_generator_takes(here: Path, seed: str) -> None:
    said = refused(here, "groups", "t.txt", "--model", "table", "-k", "2", "--seed", seed, "-o", "g").err
    assert "0<=x<=4294967295" in said


@pytest.mark.parametrize("overwrite", [False, True])
def test_the_slower_of_two_averages_leaves_no_sums(
    here: Path, monkeypatch: pytest.MonkeyPatch, overwrite: bool
) -> None:
    """Another run saves its table first; then this one's sums are of no use, or it saves its own."""
    average = Table.average

    def slower(*given: Any, **options: Any) -> Table:
        made = average(*given, **options)
        made.save(here / "out")
        return made

    monkeypatch.setattr(Table, "average", slower)
    asked = ["static", "--model", str(here / "model"), "--on", str(here / "t.txt"), "-o", str(here / "out")]
    with nullcontext() if overwrite else pytest.raises(SystemExit, match="2"):
        main(asked + ["--overwrite"] * overwrite)
    assert not (here / "out.sums").exists()
    assert len(Table.load(here / "out").vocabulary)


def test_sums_are_kept_where_the_table_can_not_be_saved(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_given: Any, **_options: Any) -> None:
        raise OutputError("no space left")

    monkeypatch.setattr(Table, "save", no_room)
    asked = ["static", "--model", str(here / "model"), "--on", str(here / "t.txt")]
    for options in (["-o", str(here / "out")], ["-o", str(here / "table"), "--overwrite"]):
        with pytest.raises(SystemExit, match="2"):
            main([*asked, *options])
        assert Path(options[1] + ".sums").exists()
