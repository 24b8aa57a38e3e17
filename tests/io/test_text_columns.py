"""Kinds of files by name, records, and the column that holds the texts."""

from __future__ import annotations

import csv

import pytest

from attar.errors import InputError
from attar.io.columns import choose_column, kind_named, records
from attar.io.reading import read_texts


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.txt", "text"),
        ("b/A.TXT.GZ", "text"),
        ("a.ndjson", "jsonl"),
        ("a.csv.gz", "csv"),
        ("a.parquet", "parquet"),
        ("a.parquet.gz", None),
        ("a.zip", None),
        ("csv", None),
        ("-", None),
    ],
)
def test_kinds(name, kind):
    assert kind_named(name) == kind


def test_a_quote_hides_line_ends_in_csv_and_is_a_quote_in_tsv():
    assert list(records(['a,"b\n', 'c"\n', "\n"], "csv")) == [["a", "b\nc"], []]
    assert list(records(['a\t"b\n'], "tsv")) == [["a", '"b']]
    with pytest.raises(csv.Error):
        list(records(['"a"b\n'], "csv"))


def test_a_field_may_be_long():
    assert len(next(records(["x" * 200_000 + "\n"], "tsv"))[0]) == 200_000


@pytest.mark.parametrize(
    ("names", "wanted", "found"),
    [
        (["id", "text"], None, "text"),
        (["content", "sentence"], None, "sentence"),
        (["only"], None, "only"),
        (["text", "b"], "b", "b"),
    ],
)
def test_the_column_of_texts(names, wanted, found):
    assert choose_column(names, wanted, "x.csv") == found


def test_columns_that_are_not_there_or_not_told():
    with pytest.raises(InputError, match=r"'x.csv' has no column 'c'; it has a, b"):
        choose_column(["a", "b"], "c", "x.csv")
    with pytest.raises(InputError, match=r"which column of 'x.csv' holds the texts"):
        choose_column(["a", "b"], None, "x.csv")


def test_two_columns_of_one_name(tmp_path):
    (tmp_path / "t.csv").write_text("text,text\na,b\n")
    with pytest.raises(InputError, match=r"has 2 columns called 'text'; rename one"):
        list(read_texts(str(tmp_path / "t.csv")))


@pytest.mark.parametrize("header", ["text;n", "text|n", "text\tn"])
def test_columns_that_are_separated_otherwise(tmp_path, header):
    """Texts would end in numbers of other columns."""
    (tmp_path / "t.csv").write_text(f"{header}\na;1\n")
    with pytest.raises(InputError, match=r"has one column, called 'text.*name it with --column"):
        list(read_texts(str(tmp_path / "t.csv")))
    assert list(read_texts(str(tmp_path / "t.csv"), header)) == ["a;1"]
