"""The five jobs through the command line: what they write and print, and what they refuse."""

from __future__ import annotations

import csv
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from attar import Embedder, Transformer
from attar.cli import main

THINGS, DOING = ["cat", "dog", "man", "woman"], ["sat", "ran", "play", "walk"]
COLOURS, PLACES = ["blue", "red", "light", "seven"], ["tree", "river", "music", "mat"]
TEXTS = [f"the {a} {b} in {c} and {d}" for a in THINGS for b in DOING for c in ("a", "the") for d in THINGS if d != a]
TEXTS = [*TEXTS[:40], *(f"a {a} {b} on the {c} {d}" for a in COLOURS for b in PLACES for c in COLOURS for d in PLACES)][
    :80
]


def run(*arguments: str) -> int:
    try:
        main(list(arguments))
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


@pytest.fixture(scope="module")
def here(tiny_bert_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts and an index of them."""
    folder = tmp_path_factory.mktemp("jobs")
    rows = [{"id": f"t{i}", "body": text, "n": str(i)} for i, text in enumerate(TEXTS)]
    with open(folder / "texts.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "body", "n"])
        writer.writeheader()
        writer.writerows(rows)
    (folder / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    (folder / "queries.txt").write_text("a cat sat\n\nblue river\n")
    model = ["--model", str(tiny_bert_dir)]
    assert run("index", str(folder / "texts.csv"), "--column", "body", *model, "-o", str(folder / "index")) == 0
    return folder


def table(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


# search


def test_search_prints_the_nearest(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("search", str(here / "index"), TEXTS[11], "--top", "2") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == TEXTS[11]
    assert lines[1].split()[:2] == ["1.000", "t11"]
    assert len([line for line in lines[1:] if line.strip()]) == 2


def test_search_as_json_with_reasons(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("search", str(here / "index"), "the dog sat", "--top", "3", "--json", "--why") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["query"] == "the dog sat"
    assert len(found["hits"]) == 3
    for hit in found["hits"]:
        assert set(hit) == {"id", "text", "cosine", "row", "why"}
        assert np.sum(hit["why"]["contributions"]) == pytest.approx(hit["cosine"], abs=1e-5)
    assert run("search", str(here / "index"), "the dog sat", "--why") == 0
    assert "dog" in capsys.readouterr().out


def test_search_of_a_file_and_of_stdin(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("search", str(here / "index"), "--queries", str(here / "queries.txt"), "--json", "--top", "1") == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["query"] for answer in answers] == ["a cat sat", "", "blue river"]
    with open(here / "queries.txt") as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert run("search", str(here / "index"), "--queries", "-", "--json", "--top", "1") == 0
    assert [json.loads(line)["query"] for line in capsys.readouterr().out.splitlines()] == [
        answer["query"] for answer in answers
    ]


def test_a_query_that_the_model_does_not_know_finds_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("search", str(here / "index"), "🙂") == 0
    assert "nothing is near: the query has no word that the model knows" in capsys.readouterr().out
    assert run("search", str(here / "index"), "🙂 🎉", "--json") == 0
    assert json.loads(capsys.readouterr().out)["hits"] == []


def test_interactive_search(here: Path) -> None:
    """At a terminal, one query after the other; an empty line ends it."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "attar", "search", str(here / "index"), "--top", "1"]
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, close_fds=True)
    os.close(slave)
    try:
        assert "query> " in seen(master, "query> ")
        os.write(master, TEXTS[70].encode() + b"\n")
        said = seen(master, "query> ")
        assert TEXTS[70] in said
        assert "1.000" in seen(master, "1.000", said)
        os.write(master, b"\n")
        assert process.wait(600) == 0
    finally:
        process.kill()
        os.close(master)


def seen(master: int, wanted: str, held: str = "") -> str:
    """What a terminal shows until it shows this."""
    deadline = time.monotonic() + 600
    while wanted not in held and time.monotonic() < deadline:
        if select.select([master], [], [], 1)[0]:
            try:
                held += os.read(master, 4096).decode()
            except OSError:  # the other end was closed
                break
    return held


def test_texts_are_added_and_found(here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import shutil

    shutil.copytree(here / "index", tmp_path / "index")
    (tmp_path / "more.jsonl").write_text('{"id": "new", "text": "music in seven trees"}\n')
    assert run("index", str(tmp_path / "more.jsonl"), "--add", "-o", str(tmp_path / "index")) == 0
    assert "now holds 81" in capsys.readouterr().err
    assert run("search", str(tmp_path / "index"), "music in seven trees", "--top", "1", "--json") == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["id"] == "new"
    assert run("index", str(tmp_path / "more.jsonl"), "--add", "-o", str(tmp_path / "index")) == 2
    assert "'new' comes twice" in capsys.readouterr().err
    assert run("index", str(tmp_path / "more.jsonl"), "--add", "--shape", "unit", "-o", str(tmp_path / "index")) == 2
    assert "leave out --shape" in capsys.readouterr().err


# duplicates


def test_duplicates_of_one_file(here: Path, tiny_bert: Transformer, tiny_bert_dir: Path, tmp_path: Path) -> None:
    command = ["duplicates", str(here / "texts.csv"), "--column", "body", "--model", str(tiny_bert_dir)]
    plain = ["--recipe", "plain", "--threshold", "0.97"]
    pairs, cleaned = tmp_path / "pairs.csv", tmp_path / "cleaned.csv"
    assert run(*command, *plain, "-o", str(pairs), "--cleaned", str(cleaned)) == 0
    vectors = Embedder(tiny_bert).encode(TEXTS)
    cosines = np.triu(Embedder(tiny_bert).similarity(vectors, vectors), 1)
    found = table(pairs)
    assert len(found) == (cosines >= 0.97).sum() > 0
    assert [float(row["cosine"]) for row in found] == sorted((float(row["cosine"]) for row in found), reverse=True)
    row = found[-1]
    assert cosines[int(row["id"][1:]), int(row["other_id"][1:])] == pytest.approx(float(row["cosine"]), abs=1e-4)
    kept = table(cleaned)
    assert 0 < len(kept) < 80
    gone = [row["other_id"] for row in found if row["reason"] == "1"]
    assert sorted(gone) == sorted({f"t{i}" for i in range(80)} - {row["id"] for row in kept})
    assert set(kept[0]) == {"id", "body", "n"}


def test_leaks_between_two_files(here: Path, tiny_bert_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "test.txt").write_text(f"{TEXTS[5]}\nsomething else\n")
    command = ["duplicates", str(here / "texts.txt"), str(tmp_path / "test.txt"), "--model", str(tiny_bert_dir)]
    options = ["--recipe", "plain", "--threshold", "1", "--cleaned", str(tmp_path / "clean.txt")]
    assert run(*command, *options, "-o", str(tmp_path / "leaks.jsonl")) == 0
    (leak,) = map(json.loads, (tmp_path / "leaks.jsonl").read_text().splitlines())
    assert (leak["id"], leak["other_id"], leak["text"]) == (5, 0, TEXTS[5])
    assert (tmp_path / "clean.txt").read_text().splitlines() == TEXTS[:5] + TEXTS[6:]


def test_two_files_may_call_their_columns_differently(here: Path, tiny_bert_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "test.csv").write_text(f"n,title\n1,{TEXTS[5]}\n2,something else\n")
    files = [str(here / "texts.csv"), str(tmp_path / "test.csv"), "--column", "body", "--other-column", "title"]
    options = ["--model", str(tiny_bert_dir), "--recipe", "plain", "--threshold", "1", "-o", str(tmp_path / "l.jsonl")]
    assert run("duplicates", *files, *options) == 0
    (leak,) = map(json.loads, (tmp_path / "l.jsonl").read_text().splitlines())
    assert (leak["id"], leak["other_id"], leak["other_text"]) == ("t5", 0, TEXTS[5])


def test_the_threshold_is_said(
    here: Path, tiny_bert_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["duplicates", str(here / "texts.txt"), "--model", str(tiny_bert_dir), "-o", str(tmp_path / "p.csv")]
    assert run(*command) == 0
    assert "threshold 0.900, the usual one: too few texts to advise another (80 of 200)" in (
        said := capsys.readouterr().err
    )
    assert "recipe: similarity, since" in said


# groups


def test_groups_writes_labels_a_table_and_a_map(
    here: Path, tiny_bert_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["groups", str(here / "texts.csv"), "--column", "body", "--model", str(tiny_bert_dir), "-k", "2"]
    assert run(*command, "--projection", "pca", "-o", str(tmp_path / "groups")) == 0
    said = capsys.readouterr()
    assert sorted(path.name for path in (tmp_path / "groups").iterdir()) == ["groups.csv", "labels.csv", "map.html"]
    labels, groups = table(tmp_path / "groups" / "labels.csv"), table(tmp_path / "groups" / "groups.csv")
    assert [row["id"] for row in labels] == [f"t{i}" for i in range(80)]
    assert [row["text"] for row in labels] == TEXTS
    assert len(groups) == 2
    assert sum(int(group["size"]) for group in groups) == 80
    assert len(said.out.splitlines()) == 2
    page = (tmp_path / "groups" / "map.html").read_text()
    assert TEXTS[70] in page
    assert "http" not in page.partition("<body")[0].replace("http-equiv", "")
    assert run(*command, "-o", str(tmp_path / "groups")) == 2
    assert "it exists" in capsys.readouterr().err
    assert run(*command, "--projection", "pca", "--overwrite", "-o", str(tmp_path / "groups")) == 0


def test_the_number_of_groups_is_found(here: Path, tiny_bert_dir: Path, tmp_path: Path) -> None:
    command = ["groups", str(here / "texts.txt"), "--model", str(tiny_bert_dir), "--projection", "pca"]
    assert run(*command, "-o", str(tmp_path / "groups")) == 0
    assert 2 <= len(table(tmp_path / "groups" / "groups.csv")) <= 9


# explain


def test_explain_in_every_form(
    here: Path, tiny_bert: Transformer, tiny_bert_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["explain", "the cat sat", "a dog sat", "--model", str(tiny_bert_dir), "--shape", "unit"]
    assert run(*command) == 0
    said = capsys.readouterr().out
    wanted = float(Embedder(tiny_bert).similarity(*Embedder(tiny_bert).encode(["the cat sat", "a dog sat"]))[0, 0])
    assert f"cosine {wanted:.4f}" in said
    assert "\x1b" not in said  # no colours but on a terminal
    assert run(*command, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert np.sum(found["contributions"]) == pytest.approx(wanted, abs=1e-6)
    assert run(*command, "-o", str(tmp_path / "why.html")) == 0
    assert "<html" in (tmp_path / "why.html").read_text()
    assert run(*command, "-o", str(tmp_path / "why.png")) == 0
    assert (tmp_path / "why.png").read_bytes().startswith(b"\x89PNG")
    learned = ["explain", "the cat sat", "a dog sat", "--model", str(tiny_bert_dir), "--recipe", "similarity"]
    assert run(*learned, "--on", str(here / "texts.txt")) == 0


# what is refused


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["search", "HERE/index", " "], "the query ' ' is empty"),
        (["search", "HERE/index", "a query", "--queries", "HERE/queries.txt"], "can't both be given"),
        (["search", "HERE", "a query"], "is not an index: it has no index.json; make one with `attar index`"),
        (["search", "HERE/index", "a query", "--top", "0"], "0 is not in the range"),
        (["search", "HERE/index", "--queries", "HERE/no.txt"], "there is no file"),
        (["index", "HERE/texts.csv", "--model", "TINY", "-o", "OUT"], "name one with --column"),
        (["index", "HERE/no.txt", "--model", "TINY", "-o", "OUT"], "there is no file"),
        (["index", "HERE/empty.txt", "--model", "TINY", "-o", "OUT"], "holds no texts"),
        (["index", "HERE/few.txt", "--model", "TINY", "-o", "OUT"], "2 are too few"),
        (["index", "HERE/texts.txt", "--add", "-o", "HERE"], "is not an index"),
        (["duplicates", "HERE/texts.txt", "--model", "TINY", "-o", "OUT.xyz"], "unknown ending of the output file"),
        (["duplicates", "HERE/texts.txt", "--model", "TINY", "--threshold", "2", "-o", "OUT.csv"], "is no cosine"),
        (["duplicates", "HERE/few.txt", "--model", "TINY", "-o", "OUT.csv"], "2 are too few"),
        (["duplicates", "HERE/texts.txt", "-o", "HERE/no/pairs.csv"], "there is no folder"),
        (["groups", "HERE/few.txt", "--model", "TINY", "--shape", "unit", "-o", "OUT"], "give at least 3"),
        (["groups", "HERE/texts.txt", "--model", "TINY", "-k", "99", "-o", "OUT"], "99 groups were asked for"),
        (["groups", "HERE/texts.txt", "--model", "TINY", "-k", "0", "-o", "OUT"], "0 is not in the range"),
        (["groups", "HERE/texts.txt", "--model", "HERE/no-model", "-o", "OUT"], "no-model"),
        (["explain", "a cat", " ", "--model", "TINY", "--shape", "unit"], "the text B is empty"),
        (["explain", "a cat", "a dog", "--model", "TINY"], "give a saved recipe, or --on TEXTS, or --shape unit"),
        (
            ["explain", "a cat", "a dog", "--model", "TINY", "--shape", "unit", "-o", "OUT.gif"],
            "'.gif'; allowed: .html",
        ),
        (["explain", "a cat", "--model", "TINY"], "Missing argument 'B'"),
        (["search", "HERE/nowhere", "x"], "there is no index"),
        (["index", "HERE/few.txt", "--column", "title", "-o", "OUT"], "leave --column out"),
        (["index", "HERE/semicolons.csv", "--column", "title", "-o", "OUT"], "separate columns as .csv (commas)"),
        (["index", "HERE/table.csv", "--column", "titel", "-o", "OUT"], "did you mean 'title'?"),
        (["index", "HERE/book.xlsx", "-o", "OUT"], "save it as .csv"),
        (["index", "HERE/list.json", "-o", "OUT"], "save it as .jsonl, one JSON object per line"),
    ],
)
def test_refused_in_one_line(
    here: Path,
    tiny_bert_dir: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    says: str,
) -> None:
    (here / "empty.txt").write_text("")
    (here / "few.txt").write_text("one\ntwo\n")
    (here / "semicolons.csv").write_text("title;body\na;b\n")
    (here / "table.csv").write_text("title,body\na,b\n")
    names = {"HERE": str(here), "TINY": str(tiny_bert_dir), "OUT": str(tmp_path / "out")}
    for name, value in names.items():
        arguments = [argument.replace(name, value) for argument in arguments]
    assert run(*arguments) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert "Traceback" not in said.err
    assert said.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_not_there_is_said_before_a_recipe_is(
    here: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "wrong.gguf").write_text("nothing of the kind")
    (here / "few.txt").write_text("one\ntwo\n")
    for model in ("empty", "wrong.gguf", "absent.gguf"):
        asked = ["index", str(here / "few.txt"), "--model", str(tmp_path / model), "-o", str(tmp_path / "out")]
        assert run(*asked) == 2
        said = capsys.readouterr().err
        assert len(said.splitlines()) == 1, said


@pytest.mark.parametrize(
    ("job", "says"),
    [
        (["duplicates", "texts.txt", "-o", "d.csv", "--threshold", "92"], "the threshold 92.0 is no cosine"),
        (["groups", "texts.txt", "-o", "g", "-k", "81"], "81 groups were asked for; there are 80 texts: give 1 to 80"),
        (["encode", "texts.txt", "-o", "v.npy", "--dims", "17"], "17 dims were asked for; the vectors have 16"),
    ],
)
def test_what_can_not_be_is_refused_before_anything_is_embedded(
    here: Path,
    tiny_bert_dir: Path,
    job: list[str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def embedded(*_: object, **__: object) -> None:
        raise AssertionError("texts were embedded")

    monkeypatch.chdir(here)
    monkeypatch.setattr(Transformer, "pool_into", embedded)
    monkeypatch.setattr(Transformer, "pool", embedded)
    assert run(*job, "--model", str(tiny_bert_dir), "--shape", "unit") == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("job", ["index", "groups"])
def test_ctrl_c_leaves_nothing_half_written_and_a_rerun_finishes(tiny_bert_dir: Path, tmp_path: Path, job: str) -> None:
    texts = [f"{text} {i}" for i in range(4000) for text in TEXTS[:8]]
    (tmp_path / "many.txt").write_text("\n".join(texts))
    command = [sys.executable, "-m", "attar", job, "many.txt", "--model", str(tiny_bert_dir), "--shape", "unit"]
    process = subprocess.Popen([*command, "-o", "out"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=600)[1]
    if not (tmp_path / "out").exists():  # it may have been done
        assert process.returncode in (130, -signal.SIGINT), said  # the latter before any of our code has run
    (tmp_path / "many.txt").write_text("\n".join(texts[:100]))
    options = ["--overwrite"] + (["--projection", "pca", "-k", "2"] if job == "groups" else [])
    ended = subprocess.run([*command, *options, "-o", "out"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["many.txt", "out"]
