"""Texts from every kind of file, and what is said of bad ones."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attar.errors import InputError
from attar.io.reading import count_texts, read_texts

TEXTS = ["first", "", 'a "quoted" word', "line\u2028separator", "tail"]


def _read(path: Path, column: str | None = None) -> list[str]:
    return list(read_texts(str(path), column))


def test_plain_lines_keep_their_places(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_bytes(b"\xef\xbb\xbffirst\n\n" + "\r\n".join(TEXTS[2:]).encode())
    assert _read(path) == TEXTS


def test_gzip(tmp_path: Path) -> None:
    for name in ("texts.txt.gz", "TEXTS.TXT.GZ"):
        path = tmp_path / name
        path.write_bytes(gzip.compress("\n".join(TEXTS).encode()))
        assert _read(path) == TEXTS


def test_names_do_not_tell_whether_a_file_is_packed(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain.txt.gz", tmp_path / "packed.txt"
    plain.write_bytes("\n".join(TEXTS).encode())
    packed.write_bytes(gzip.compress("\n".join(TEXTS).encode()))
    assert _read(plain) == _read(packed) == TEXTS
    assert count_texts(str(packed)) is None  # not quick to tell


def test_jsonl_objects_and_strings(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text('{"id": 1, "text": "a"}\n\n{"id": 2, "text": "b"}\n')
    assert _read(path) == ["a", "b"]
    assert _read(path, "id") == [1, 2]
    path.write_text('"a"\n"b"\n')
    assert _read(path) == ["a", "b"]


def test_csv_has_quotes_and_tsv_has_none(tmp_path: Path) -> None:
    csv = tmp_path / "t.csv"
    csv.write_text('id,text\n1,"a, b"\n2,"say ""hi"""\n')
    assert _read(csv) == ["a, b", 'say "hi"']
    tsv = tmp_path / "t.tsv"
    tsv.write_text('label\tsentence\n0\t"unclosed\n1\tb\n')
    assert _read(tsv) == ['"unclosed', "b"]


def test_blank_lines_between_rows_are_no_rows(tmp_path: Path) -> None:
    csv = tmp_path / "t.csv"
    csv.write_text('\nid,text\n1,a\n\n2,""\n3,"b\n\nc"\n\n')
    assert _read(csv) == ["a", "", "b\n\nc"]


@pytest.mark.parametrize(("content", "n"), [(b"", 0), (b"a\n", 1), (b"a\n\nb", 3), (b"x" * (1 << 20) + b"\ny\n", 2)])
def test_count_of_lines_is_that_of_texts(tmp_path: Path, content: bytes, n: int) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes(content)
    assert count_texts(str(path)) == n == len(_read(path))
    assert count_texts(str(tmp_path / "none.txt")) is None
    assert count_texts("-") is None


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"body": ["a", None, "c"], "n": [1, 2, 3]}), path)
    assert _read(path, "body") == ["a", None, "c"]
    assert count_texts(str(path)) == 3
    with pytest.raises(InputError, match=r"which column .* body, n; name one with --column"):
        _read(path)


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\nb")))
    assert list(read_texts("-")) == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "content", "column", "message"),
    [
        ("t.txt", b"a\n\xff\xfe\n", None, "line 2 of .* is not UTF-8.*; save it as UTF-8"),
        ("t.txt", b"a\n", "body", "plain text, one text per line, and has no column 'body'"),
        ("t.csv", b"id,text\n1\n", None, "line 2 of .* has 1 of the header's 2 fields"),
        ("t.csv", b"id,text\n1,a\n", "body", "has no column 'body'; it has id, text"),
        ("t.csv", b'text\n"unclosed\n', None, "can't be read"),
        ("t.csv", b'"text\nunclosed\n', None, "line 2 of .* can't be read"),
        ("t.csv", b"text\ronly carriage returns\r", None, "line 1 of .* can't be read"),
        ("t.jsonl", b"{\n", None, "line 1 of .* is not JSON"),
        ("t.jsonl", b"[1]\n", None, "should be a JSON object"),
        ("t.jsonl", b"[" * 100_000 + b"\n", None, "line 1 of .* is not JSON"),
        ("t.jsonl", b'{"text": "a"}\n{"other": 1}\n', None, "line 2 of .* has no column 'text'; it has other"),
        ("t.txt.gz", gzip.compress(b"text", mtime=0)[:-3], None, "can't read"),
        ("t.parquet", b"not parquet", None, "can't read"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, content: bytes, column: str | None, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        _read(path, column)


def test_damaged_gzip_files(tmp_path: Path) -> None:
    path = tmp_path / "t.txt.gz"
    packed = gzip.compress(b"some text\n" * 1000, mtime=0)
    for damaged in (packed[:-12], packed[:10] + b"\xff" * 20 + packed[30:]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"can't read .* beyond line"):
            _read(path)


def test_parquet_whose_strings_are_not_utf8(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": pa.array([b"\xff\xfe"]).view(pa.string())}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"can't read .*invalid start byte"):
        _read(tmp_path / "t.parquet")


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        _read(tmp_path / "nope.txt")
    with pytest.raises(InputError, match="is a folder"):
        _read(tmp_path)
