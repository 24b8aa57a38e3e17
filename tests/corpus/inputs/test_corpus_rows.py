"""Rows of any slice of any kind of file are those that reading the whole file gives."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.corpus.inputs.index import IndexFile
from attar.corpus.inputs.input_file import STEP, Slice
from attar.corpus.inputs.shards import ShardPlan
from attar.errors import InputError
from attar.io.reading import read_texts

TEXTS = ["plain", "", "tab\tinside", 'a "quoted" one', "comma, here", "Umlaut ä\u2028 same line", "  spaces  "]
N = 2 * STEP + 500


def write(path: Path, texts: list[str]) -> Path:
    name = path.name
    if name.startswith("lines.txt"):
        content = "\ufeff" + "".join(f"{text}\r\n" for text in texts)
    elif ".jsonl" in name:
        content = "".join(json.dumps({"id": i, "text": text}) + "\n\n" for i, text in enumerate(texts))
    elif ".csv" in name:
        rows = (f'{i},"{text.replace(chr(34), chr(34) * 2)}\nsecond line"\n' for i, text in enumerate(texts))
        content = "id,text\n" + "".join(rows)
    elif ".tsv" in name:
        content = "text\tother\n" + "".join(f"{text.replace(chr(9), ' ')}\tx\n" for text in texts)
    else:
        table = pa.table({"id": [f"row {i}" for i in range(len(texts))], "text": texts})
        pq.write_table(table, path, row_group_size=1000)
        return path
    data = content.encode()
    path.write_bytes(gzip.compress(data, 1) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("name", ["plain.csv.gz", "packed.csv"])
def test_names_do_not_tell_whether_a_file_is_packed(tmp_path: Path, name: str) -> None:
    usual = write(tmp_path / "usual.csv", TEXTS * 3)
    path = tmp_path / name
    path.write_bytes(usual.read_bytes() if "plain" in name else gzip.compress(usual.read_bytes()))
    plans = [ShardPlan((IndexFile()(str(p)),), 4) for p in (usual, path)]
    wanted, found = ([row for unit in plan.shards() for row in unit.read()] for plan in plans)
    assert found == wanted


KINDS = ["lines.txt", "lines.txt.gz", "rows.jsonl", "rows.csv", "rows.csv.gz", "rows.tsv", "rows.parquet"]


@pytest.mark.parametrize("name", KINDS)
def test_slices_of_a_file_are_its_rows(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, [f"{i} {TEXTS[i % len(TEXTS)]}" for i in range(N)])
    whole = list(read_texts(str(path)))
    source = IndexFile()(str(path))
    assert source.rows == len(whole) == N
    for shards in (1, 3, 7):
        rows = [text for unit in ShardPlan((source,), shards).shards() for _, text in unit.read()]
        assert rows == whole


@pytest.mark.parametrize(
    ("name", "id_type", "third"),
    [
        ("rows.jsonl", "int64", 3),
        ("rows.csv", "string", "3"),
        ("rows.parquet", "string", "row 3"),
        ("lines.txt", None, None),
    ],
)
def test_ids_come_along(tmp_path: Path, name: str, id_type: str | None, third: object) -> None:
    path = write(tmp_path / name, TEXTS)
    source = IndexFile()(str(path))
    assert source.id_type == id_type
    (unit,) = ShardPlan((source,), 1).shards()
    assert [row_id for row_id, _ in unit.read()][3] == third


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0")), min_size=1), st.data())
def test_any_lines_and_any_slice(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("lines") / "any.txt"
    path.write_bytes(("\n".join(lines)).encode() + (b"\n" if data.draw(st.booleans()) else b""))
    whole = list(read_texts(str(path)))
    source = IndexFile()(str(path))
    assert source.rows == len(whole)
    if whole:
        start = data.draw(st.integers(0, len(whole) - 1))
        stop = data.draw(st.integers(start, len(whole)))
        (unit,) = ShardPlan((source,), 1).shards()
        part = Slice.of(source, start, stop)
        rows = [text for _, text in type(unit)("x", 0, stop - start, (part,)).read()]
        assert rows == whole[start:stop]


def test_blank_lines_between_rows_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id,text\n1,a\n\n2,""\n3,"b\n\nc"\n\n')
    assert IndexFile()(str(path)).rows == 3
    assert list(read_texts(str(path))) == ["a", "", "b\n\nc"]


def test_places_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"ab\n" * (2 * STEP))
    assert IndexFile()(str(path)).places == (0, 3 * STEP, 6 * STEP)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"fine\n\xff\xfe\n", "not UTF-8"),
        ("a.jsonl", b'{"text": "x"}\n{"text"\n', "not JSON"),
        ("a.jsonl", b'{"text": "x"}\n' + b"[" * 100_000, "not JSON"),
        ("a.jsonl", b'{"text": "x"}\n{"other": "y"}\n', "has no 'text'"),
        ("a.csv", b"id,text\n1,x\n2\n", "fields 1, expected 2 by the header"),
        ("a.csv", b"", "is empty"),
        ("a.txt.gz", gzip.compress(b"text\n", mtime=0)[:10] + b"\xff" * 20, "can't read"),
        ("a.parquet", b"not parquet", "can't read"),
        ("a.jsonl", b'{"text": null}\n', "None"),
    ],
)
def test_damaged_files_are_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        list(next(ShardPlan((IndexFile()(str(path)),), 1).shards()).read())
    assert name in str(caught.value)


def test_a_file_that_got_shorter_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "lines.txt", TEXTS)
    source = IndexFile()(str(path))
    path.write_text("x" * source.size)
    with pytest.raises(InputError, match="ends at row 1; 7 rows were counted"):
        list(next(ShardPlan((source,), 1).shards()).read())


def test_a_file_that_grows_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "lines.txt", TEXTS)
    source = IndexFile()(str(path))
    rows = next(ShardPlan((source,), 1).shards()).read()
    next(rows)
    with open(path, "a") as file:
        file.write("one more")
    with pytest.raises(InputError, match=f"has {source.size + 8:,} bytes, and had {source.size:,} when"):
        list(rows)


def test_columns_must_be_there(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", TEXTS)
    with pytest.raises(InputError, match="no column 'body'; it has id, text"):
        IndexFile("body")(str(path))
    with pytest.raises(InputError, match="no column 'key' of ids"):
        IndexFile(None, "key")(str(path))
    with pytest.raises(InputError, match="plain text"):
        IndexFile("body")(str(write(tmp_path / "lines.txt", TEXTS)))
