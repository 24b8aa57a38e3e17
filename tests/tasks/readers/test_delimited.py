"""TSV without quoting, CSV with it, JSON lines."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attar.errors import DataError
from attar.tasks.readers.delimited import read_csv, read_jsonl, read_tsv

plain = st.text(st.characters(codec="utf-8", exclude_characters="\0\t\n\r\ufeff"), max_size=12)
anything = st.text(st.characters(codec="utf-8", exclude_characters="\x00\ufeff"), max_size=12)
few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@few
@given(rows=st.lists(st.tuples(plain, plain), max_size=5))
def test_a_tsv_comes_back_as_written(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    path = tmp_path / "t.tsv"
    path.write_bytes("".join(f"{a}\t{b}\n" for a, b in [("label", "text"), *rows]).encode())
    table = read_tsv(path)
    assert [tuple(row) for row in zip(table["label"], table["text"], strict=True)] == rows


@few
@given(rows=st.lists(st.tuples(anything, anything), max_size=5))
def test_a_csv_comes_back_as_the_standard_library_wrote_it(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    path = tmp_path / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("label", "text"), *rows])
    table = read_csv(path)
    assert [tuple(row) for row in zip(table["label"], table["text"], strict=True)] == rows


@few
@given(rows=st.lists(st.tuples(anything, st.integers()), min_size=1, max_size=5))
def test_json_lines_come_back_as_written(tmp_path: Path, rows: list[tuple[str, int]]) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps({"text": a, "label": b}) + "\n" for a, b in rows), encoding="utf-8")
    table = read_jsonl(path)
    assert list(table["text"]) == [a for a, _ in rows]
    assert list(table["label"]) == [str(b) for _, b in rows]


@pytest.mark.parametrize("name", ["MRPC.train", "SICK.dev", "MPQA"])
def test_real_tsv_files_read_as_pandas_reads_them_with_quoting_off(data_dir: Path, name: str) -> None:
    path = data_dir / f"{name}.tsv.gz"
    expected = pandas.read_csv(path, sep="\t", quoting=csv.QUOTE_NONE, dtype=str, keep_default_na=False)
    table = read_tsv(path)
    assert list(table.columns) == list(expected.columns)
    for column in table.columns:
        assert list(table[column]) == expected[column].tolist()


def test_a_quote_in_a_tsv_is_a_quote(tmp_path: Path) -> None:
    path = tmp_path / "q.tsv"
    path.write_text('label\ttext\n1\t"never closed\n0\tsaid "so"\n')
    assert list(read_tsv(path)["text"]) == ['"never closed', 'said "so"']


def test_a_row_of_another_width_is_named(tmp_path: Path) -> None:
    path = tmp_path / "w.tsv"
    path.write_text("label\ttext\n1\tfine\n0\ttoo\tmany\n")
    with pytest.raises(DataError, match=r"w\.tsv: row 2 has 3 fields, the header names 2 \(label, text\)"):
        read_tsv(path)


@pytest.mark.parametrize(("reader", "name"), [(read_tsv, "e.tsv"), (read_csv, "e.csv"), (read_jsonl, "e.jsonl")])
def test_an_empty_file(tmp_path: Path, reader: object, name: str) -> None:
    (tmp_path / name).write_text("")
    with pytest.raises(DataError, match=rf"{name} (is empty|holds no rows)"):
        reader(tmp_path / name)  # type: ignore[operator]


def test_a_header_alone_is_a_table_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "h.tsv"
    path.write_text("label\ttext\n")
    table = read_tsv(path)
    assert len(table) == 0
    assert list(table.columns) == ["label", "text"]


def test_a_column_named_twice(tmp_path: Path) -> None:
    path = tmp_path / "d.tsv"
    path.write_text("text\ttext\na\tb\n")
    with pytest.raises(DataError, match="names a column twice: text, text"):
        read_tsv(path)


def test_csv_with_a_quote_that_is_never_closed(tmp_path: Path) -> None:
    path = tmp_path / "open.csv"
    path.write_text('label,text\n1,"and so on\n')
    with pytest.raises(DataError, match=r"open\.csv, line 2: not valid CSV"):
        read_csv(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{broken", "line 2: not valid JSON"),
        ("[1, 2]", "line 2: list instead of an object"),
        ('{"text": "no label"}', "line 2: 'label' is None, not text or a number; keys: text"),
        ('{"text": "a", "label": ["x"]}', r"line 2: 'label' is \['x'\]"),
    ],
)
def test_json_lines_that_are_wrong(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text('{"text": "fine", "label": 1}\n' + line + "\n")
    with pytest.raises(DataError, match=message):
        read_jsonl(path)


def test_json_lines_leave_out_what_is_neither_text_nor_number(tmp_path: Path) -> None:
    path = tmp_path / "k.jsonl"
    path.write_text('{"text": "a", "label": 2.5, "more": {"x": 1}}\n\n')
    assert dict(read_jsonl(path).columns) == {"text": ["a"], "label": ["2.5"]}
