"""Tasks from files of one's own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from attar import tasks
from attar.errors import DataError, InputError


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("left", "right", "score"),
    [("sentence1", "sentence2", "score"), ("Text1", "Text2", "Similarity"), ("left", "right", "label")],
)
def test_pairs_with_a_score(tmp_path: Path, left: str, right: str, score: str) -> None:
    path = write(tmp_path / "pairs.of.mine.csv", f'{score},{left},{right}\n1,"a, b",c\n0.5,d,"e ""f"""\n')
    task = tasks.from_file(path)
    assert isinstance(task, tasks.StsTask)
    assert task.name == "pairs"
    assert task.left == ("a, b", "d")
    assert task.right == ("c", 'e "f"')
    assert task.scores.tolist() == [1, 0.5]
    assert task.subsets == ()


def test_columns_may_be_named(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", "score\tgold\tmine\tyours\n9\t1\ta\tb\n9\t2\tc\td\n")
    task = tasks.from_file(path, name="other", left="mine", right="yours", score="gold")
    assert isinstance(task, tasks.StsTask)
    assert task.name == "other"
    assert task.scores.tolist() == [1, 2]
    with pytest.raises(InputError, match=r"unknown column of .*x\.tsv 'him'.*allowed: score, gold, mine, yours"):
        tasks.from_file(path, left="him", right="yours")


@pytest.mark.parametrize("gzipped", [False, True])
def test_json_lines(tmp_path: Path, gzipped: bool) -> None:
    rows = [{"sentence1": "a", "sentence2": "b", "score": 0.25}, {"sentence1": "c", "sentence2": "d", "score": 1}]
    raw = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path = tmp_path / ("x.jsonl.gz" if gzipped else "x.jsonl")
    path.write_bytes(gzip.compress(raw) if gzipped else raw)
    task = tasks.load(path)
    assert isinstance(task, tasks.StsTask)
    assert task.scores.tolist() == [0.25, 1]


def test_a_text_and_a_label_need_a_family(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", "label\tsentence\ny\ta\nx\tb\ny\tc\n")
    with pytest.raises(InputError, match=r"no two columns of texts \(it has: label, sentence\).*family='clustering'"):
        tasks.from_file(path)
    groups = tasks.from_file(path, "clustering")
    assert isinstance(groups, tasks.ClusterTask)
    assert groups.classes == ("x", "y")
    assert groups.labels.tolist() == [1, 0, 1]
    folds = tasks.from_file(path, "classification")
    assert isinstance(folds, tasks.ClassifyTask)
    assert folds.splits == {}
    assert folds.right == ()


def test_splits_are_brought_together_in_order(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.csv",
        "text,label,split\ntest 1,a,test\ntrain 1,a,train\ndev 1,b,validation\ntrain 2,b,Train\ntest 2,b,test\n",
    )
    task = tasks.from_file(path, "classification")
    assert isinstance(task, tasks.ClassifyTask)
    assert task.left == ("train 1", "train 2", "dev 1", "test 1", "test 2")
    assert task.labels.tolist() == [0, 1, 1, 0, 1]
    assert task.splits == {"train": slice(0, 2), "dev": slice(2, 3), "test": slice(3, 5)}


def test_pairs_with_a_label(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", "premise\thypothesis\tlabel\na\tb\tyes\nc\td\tno\n")
    with pytest.raises(InputError, match=r"the label of its pairs is not always a number \('yes'\).*classification"):
        tasks.from_file(path)
    task = tasks.from_file(path, "classification")
    assert isinstance(task, tasks.ClassifyTask)
    assert task.right == ("b", "d")
    assert task.classes == ("no", "yes")


def test_a_text_column_may_be_chosen_among_pairs(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", "left\tright\tlabel\na\tb\t1\nc\td\t0\n")
    task = tasks.from_file(path, "classification", text="left")
    assert isinstance(task, tasks.ClassifyTask)
    assert (task.left, task.right) == (("a", "c"), ())


@pytest.mark.parametrize(
    ("text", "family", "message"),
    [
        ("left\tright\na\tb\n", None, r"no column for the score \(known names: score, similarity.*it has: left, right"),
        ("body\tlabel\na\tb\n", "clustering", r"no column for the text \(known names: text, sentence"),
        ("text\tgroup\na\tb\n", "classification", "no column for the label"),
        ("text\tlabel\tsplit\na\tx\ttrain\nb\ty\tdev\n", "classification", "has no 'test' row"),
        ("text\tlabel\tsplit\na\tx\tfold 1\n", "classification", "the split of row 1 is 'fold 1'; allowed: train, dev"),
        ("text\tlabel\na\tx\nb\tx\n", "clustering", "all of one class"),
        ("left\tright\tscore\na\tb\t1\nc\td\tnan\n", None, "the score of row 2 is 'nan', not a number"),
        ("text\tlabel\n", "clustering", "holds no rows"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, text: str, family: str | None, message: str) -> None:
    with pytest.raises(DataError, match=message):
        tasks.from_file(write(tmp_path / "x.tsv", text), family)


def test_unknown_endings_and_families(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"x\.xlsx ends in '\.xlsx'; .*\.tsv, \.csv, \.jsonl, \.ndjson, each also with \.gz"
    ):
        tasks.from_file(write(tmp_path / "x.xlsx", ""))
    with pytest.raises(InputError, match="unknown family 'groups'; allowed: sts, clustering, classification"):
        tasks.from_file(write(tmp_path / "x.tsv", ""), "groups")


@pytest.mark.parametrize(
    ("name", "content", "family"),
    [
        ("x.csv", "label,text\na,1\n,2\nb,3\n \t,4\n", "clustering"),
        ("x.csv", "label,text\na,1\n,2\nb,3\n \t,4\n", "classification"),
        ("x.tsv", "label\tsentence1\tsentence2\na\t1\t1\n\t2\t2\nb\t3\t3\n \t4\t4\n", "classification"),
        ("x.jsonl", "".join(json.dumps({"label": c, "text": "t"}) + "\n" for c in ("a", "", "b", "  ")), "clustering"),
    ],
)
def test_a_blank_label_is_no_class(tmp_path: Path, name: str, content: str, family: str) -> None:
    path = write(tmp_path / name, content)
    told = r"the label of row 2 is blank \(2 of 4 rows are like that\)\. Fill it in, or take the row out"
    with pytest.raises(DataError, match=told):
        tasks.load(f"{family}:{path}")
