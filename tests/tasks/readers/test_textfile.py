"""Plain and gzipped text, and what is said of files that can't be read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from attar.errors import DataError
from attar.tasks.readers.textfile import read_lines, read_text


def test_only_a_newline_ends_a_line(tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_bytes("one\u0085still one\u2028and on\r\ntwo\n\nfour".encode())
    assert read_lines(path) == ["one\u0085still one\u2028and on", "two", "", "four"]


def test_the_last_newline_adds_no_line_but_an_empty_last_line_counts(tmp_path: Path) -> None:
    path = tmp_path / "ends.txt"
    path.write_bytes(b"a\n\n")
    assert read_lines(path) == ["a", ""]
    path.write_bytes(b"")
    assert read_lines(path) == []


def test_gzip_is_known_by_its_bytes_and_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "named.tsv"
    path.write_bytes(gzip.compress("\ufeffsalut é\n".encode()))
    assert read_text(path) == "salut é\n"


def test_a_symlink_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("here\n")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    assert read_lines(tmp_path / "link.txt") == ["here"]


def test_latin_1_where_asked(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes(b"caf\xe9\n")
    assert read_lines(path, "latin-1") == ["café"]
    with pytest.raises(DataError, match=r"old\.txt is not valid UTF-8: byte 0xe9 in line 1"):
        read_lines(path)


def test_the_line_of_a_bad_byte_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"fine\nfine\nnot \xff fine\n")
    with pytest.raises(DataError, match="0xff in line 3"):
        read_text(path)


def test_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "cut.tsv.gz"
    path.write_bytes(gzip.compress(b"some text that is long enough to be cut" * 20)[:40])
    with pytest.raises(DataError, match=r"cut\.tsv\.gz is damaged gzip"):
        read_text(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.tsv can't be read \(No such file"):
        read_text(tmp_path / "none.tsv")
