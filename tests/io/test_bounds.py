"""Texts without end are refused; blank rows are not lost."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from attar.errors import InputError
from attar.io.bounds import DEFAULT, VARIABLE
from attar.io.reading import read_texts
from attar.io.rows import read_rows
from attar.tokens.sentences import sentences
from attar_process import Limits, run


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "10")


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("name", ["t.txt", "t.csv", "t.tsv", "t.jsonl"])
def test_a_text_may_be_as_long_as_the_limit(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    head = {"t.csv": "text\n", "t.tsv": "text\n"}.get(name, "")
    fits, more = ("12345678", "123456789") if name == "t.jsonl" else ("1234567890", "12345678901")
    wrap = '"{}"' if name == "t.jsonl" else "{}"
    path.write_text(head + wrap.format(fits) + "\r\n")
    assert list(read_texts(str(path))) == [fits]
    path.write_text(head + wrap.format(more) + "\n")
    with pytest.raises(InputError, match="more than 10 bytes; split it"):
        list(read_texts(str(path)))


@pytest.mark.usefixtures("few")
def test_a_field_over_many_lines_and_a_cell_of_parquet(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "t.csv"
    path.write_text('text\n"12345\n67890\n12345"\n')
    with pytest.raises(InputError, match="a record is of more than 10 characters"):
        list(read_texts(str(path)))
    pq.write_table(pa.table({"text": ["x" * 11]}), tmp_path / "t.parquet")
    for read in (read_texts, read_rows):
        with pytest.raises(InputError, match="more than 10 bytes"):
            list(read(str(tmp_path / "t.parquet")))
    (tmp_path / "t.txt").write_text("x" * 11)
    with pytest.raises(InputError, match="more than 10 bytes"):
        list(sentences(tmp_path / "t.txt"))


@pytest.mark.parametrize("given", ["9" * 15, "9" * 30, "9" * 5000])
def test_limits_that_no_library_takes_are_no_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv(VARIABLE, given)
    for name, content in {"t.txt": "a\n", "t.csv": "text\na\n", "t.jsonl": '"a"\n'}.items():
        (tmp_path / name).write_text(content)
        assert list(read_texts(str(tmp_path / name))) == ["a"]


@pytest.mark.parametrize(
    "content", ["the cat\nsat\n".encode("utf-16-le"), b"the cat\nsat\0\n", b"PK\x03\x04" + bytes(9)]
)
@pytest.mark.parametrize("name", ["t.txt", "t.csv", "t.jsonl"])
def test_what_is_no_utf8_text_is_not_read_as_one(tmp_path: Path, name: str, content: bytes) -> None:
    head = b'"a"\n' if name == "t.jsonl" else b"text\n"
    (tmp_path / name).write_bytes(head + content)
    for read in (read_texts, read_rows):
        with pytest.raises(InputError, match=r"NUL byte.*UTF-16.*save it as UTF-8|not JSON"):
            list(read(str(tmp_path / name)))


def test_a_task_that_unpacks_without_end(tmp_path: Path, tiny_bert_dir: Path) -> None:
    with gzip.open(tmp_path / "bomb.tsv.gz", "wb", compresslevel=1) as file:
        for _ in range(64):
            file.write(b"a" * (1 << 24))
    ended = run(
        "score",
        "plain",
        "--model",
        str(tiny_bert_dir),
        "--tasks",
        "sts:bomb.tsv.gz",
        cwd=tmp_path,
        limits=Limits(memory=1 << 29),
    )
    assert (ended.code, "more than 16,777,216 bytes" in ended.err) == (2, True), ended


def test_a_file_that_unpacks_without_end(tmp_path: Path, tiny_bert_dir: Path) -> None:
    """A gigabyte of one letter in a megabyte of gzip, where a third of that is allowed as memory."""
    with gzip.open(tmp_path / "bomb.txt.gz", "wb", compresslevel=1) as file:
        for _ in range(64):
            file.write(b"a" * (1 << 24))
    command = ["encode", "bomb.txt.gz", "--model", str(tiny_bert_dir), "-o", "v.npy"]
    ended = run(*command, cwd=tmp_path, limits=Limits(memory=1 << 29))
    assert ended.code == 2, ended
    assert f"more than {DEFAULT:,} bytes" in ended.err
    few = run(*command, "--max-text-bytes", "1000", cwd=tmp_path)
    assert "more than 1,000 bytes" in few.err


def test_blank_rows_of_one_column_are_texts(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('text\na\n\n""\nb\n\n')
    assert list(read_texts(str(path))) == ["a", "", "", "b", ""]


def test_blank_lines_that_are_no_rows_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "t.csv").write_text("text,n\na,1\n\nb,2\n\n")
    (tmp_path / "t.jsonl").write_text('"a"\n\n"b"\n')
    with caplog.at_level("WARNING", logger="attar"):
        assert list(read_texts(str(tmp_path / "t.csv"))) == ["a", "b"]
        assert list(read_texts(str(tmp_path / "t.jsonl"))) == ["a", "b"]
    assert "2 blank lines of" in caplog.text
    assert "1 blank lines of" in caplog.text


@pytest.mark.parametrize("command", ["encode", "fit", "index", "duplicates", "groups", "search", "choose", "static",
                                     "corpus", "explain", "score", "sweep"])  # fmt: skip
def test_every_command_that_reads_texts_has_the_option_that_the_message_names(command: str) -> None:
    from click import Context

    from attar.cli import attar

    found = attar.get_command(Context(attar), command)
    assert found is not None
    assert any("--max-text-bytes" in parameter.opts for parameter in found.params)
