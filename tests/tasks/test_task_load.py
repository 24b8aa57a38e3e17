"""Loading by name, and what is said where it can't be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from attar import tasks
from attar.errors import DataError, InputError

STS_HEADER = "subset\tscore\tsentence1\tsentence2\n"


def write_sts(path: Path, n_rows: int) -> None:
    rows = (f"part\t{row % 6}\tleft {row}\tright {row}\n" for row in range(n_rows))
    path.write_text(STS_HEADER + "".join(rows))


def test_the_published_number_of_rows_is_asked_for(tmp_path: Path) -> None:
    write_sts(tmp_path / "STS13.test.tsv", 1500)
    task = tasks.load("STS13", tmp_path)
    assert isinstance(task, tasks.StsTask)
    assert len(task.left) == 1500


def test_another_number_of_rows_shows_both_and_what_to_do(tmp_path: Path) -> None:
    write_sts(tmp_path / "STS13.test.tsv", 1499)
    with pytest.raises(
        DataError,
        match=r"STS13\.test\.tsv holds 1499 rows, the published STS13, test has 1500: fetch .*http.*rows='any'",
    ):
        tasks.load("STS13", tmp_path)
    assert len(tasks.load("STS13", tmp_path, rows="any").texts) == 2 * 1499


def test_another_number_of_classes(tmp_path: Path) -> None:
    rows = "".join(f"{row % 88}\ttext {row}\n" for row in range(2472))
    (tmp_path / "tweet.tsv").write_text("label\ttext\n" + rows)
    with pytest.raises(DataError, match=r"tweet has 88 classes here \(0, 1, 2, .*the published one 89"):
        tasks.load("tweet", tmp_path)
    task = tasks.load("tweet", tmp_path, rows="any")
    assert isinstance(task, tasks.ClusterTask)
    assert len(task.classes) == 88


def test_a_file_with_a_header_alone(tmp_path: Path) -> None:
    (tmp_path / "STR.tsv").write_text(STS_HEADER)
    with pytest.raises(DataError, match=r"STR\.tsv holds no rows"):
        tasks.load("STR", tmp_path, rows="any")


def test_files_that_are_not_there_are_named_with_the_source(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        tasks.load("CR", tmp_path)
    message = str(caught.value)
    for part in ("no files of CR in", str(tmp_path), "CR.tsv (tidy)", "CR/custrev.pos, custrev.neg (SentEval)", ".gz"):
        assert part in message
    assert "Public at: https://" in message


def test_half_of_the_files(tmp_path: Path) -> None:
    (tmp_path / "custrev.pos").write_text("good\n")
    with pytest.raises(DataError, match=r"custrev\.pos is there, but not custrev\.neg"):
        tasks.load("CR", tmp_path)


def test_a_tidy_file_without_the_column(tmp_path: Path) -> None:
    (tmp_path / "CR.tsv").write_text("class\ttext\n1\tgood\n0\tbad\n")
    with pytest.raises(DataError, match=r"CR\.tsv has no column 'label'; it has: class, text"):
        tasks.load("CR", tmp_path, rows="any")


def test_a_score_outside_the_scale(tmp_path: Path) -> None:
    (tmp_path / "STR.tsv").write_text(STS_HEADER + "x\t0.5\ta\tb\nx\t3\tc\td\n")
    with pytest.raises(DataError, match=r"the score of row 2 is '3', not a number from 0 to 1"):
        tasks.load("STR", tmp_path, rows="any")


def test_another_split_of_an_sts_task(tmp_path: Path) -> None:
    for split in ("train", "test"):
        (tmp_path / f"STSB.{split}.tsv").write_text(STS_HEADER + f"x\t1\t{split} a\tb\nx\t2\t{split} c\td\n")
    assert tasks.load("STS-B", tmp_path, rows="any").texts[0] == "test a"
    assert tasks.load("stsb", tmp_path, split="train", rows="any").texts[0] == "train a"
    with pytest.raises(InputError, match="unknown split of STS-B 'all'; allowed: train, dev, test"):
        tasks.load("STS-B", tmp_path, split="all")
    with pytest.raises(
        InputError, match="SST2 is a classification task and comes with all its rows: leave split='test' out"
    ):
        tasks.load("SST2", tmp_path, split="test")


def test_a_folder_is_needed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the task STS12 needs the folder .*load\('STS12', data=DIR\)"):
        tasks.load("STS12")
    with pytest.raises(DataError, match=r"'.*nowhere' is not a folder"):
        tasks.load("STS12", tmp_path / "nowhere")


def test_an_unknown_row_check(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown row check 'some'; allowed: published, any"):
        tasks.load("STS12", tmp_path, rows="some")  # type: ignore[arg-type]


def test_a_file_in_place_of_a_name(tmp_path: Path) -> None:
    mine = tmp_path / "mine.tsv"
    mine.write_text("text\tlabel\nbread\tfood\nrain\tweather\n")
    task = tasks.load(f"clustering:{mine}")
    assert isinstance(task, tasks.ClusterTask)
    assert isinstance(tasks.load(f"classification:{mine}"), tasks.ClassifyTask)
    with pytest.raises(InputError, match=r"no file 'other\.tsv': check the path"):
        tasks.load("other.tsv")
    with pytest.raises(DataError, match=r"gone\.tsv can't be read"):
        tasks.load("clustering:gone.tsv")


def test_a_selection_of_names_and_files(tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("left,right,score\na,b,1\nc,d,2\n")
    groups = tmp_path / "groups.tsv"
    groups.write_text("text\tlabel\nbread\tfood\nrain\tweather\n")
    write_sts(tmp_path / "STS13.test.tsv", 1500)
    chosen = tasks.load_selection(f"clustering:{groups},sts13,{mine},STS13", tmp_path)
    assert [(task.name, task.family) for task in chosen] == [
        ("groups", "clustering"),
        ("STS13", "sts"),
        ("mine", "sts"),
    ]
    assert [task.name for task in tasks.load_selection(str(mine))] == ["mine"]


def test_a_wrong_name_in_a_selection_is_told_before_anything_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown task 'STS99'"):
        tasks.load_selection("STS12,STS99", tmp_path)
