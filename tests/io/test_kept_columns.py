"""Columns that go along with vectors."""

from __future__ import annotations

import json
import math
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attar.errors import InputError, OutputError
from attar.io.kept_columns import KeptColumns
from attar.io.writing import check_target, write_vectors

CSV = 'id,body,url\n7,the cat,http://a\n9,"a dog, ran",http://b\n8,,http://c\n'


def vectors_of(kept: KeptColumns, size: int = 2) -> list[np.ndarray]:
    texts = list(kept.texts())
    rows = np.arange(len(texts) * 3, dtype=np.float32).reshape(-1, 3)
    return [rows[start : start + size] for start in range(0, len(rows), size)]


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_columns_stay_with_their_rows(tmp_path: Path, ending: str) -> None:
    (tmp_path / "in.csv").write_text(CSV)
    kept = KeptColumns(str(tmp_path / "in.csv"), "body", ["url"], keep_text=True)
    target = tmp_path / f"out{ending}"
    assert write_vectors(vectors_of(kept), str(target), kept) == 3
    table = pa.ipc.open_file(pa.memory_map(str(target))).read_all() if ending == ".arrow" else pq.read_table(target)
    assert table.column_names == ["id", "body", "url", "vector"]
    assert table["id"].to_pylist() == [0, 1, 2]
    assert table["body"].to_pylist() == ["the cat", "a dog, ran", ""]
    assert table["url"].to_pylist() == ["http://a", "http://b", "http://c"]
    assert table["vector"].to_pylist()[2] == [6, 7, 8]
    assert table.schema.field("vector").type == pa.list_(pa.float32(), 3)


def test_an_id_that_is_kept_is_the_id(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(CSV)
    kept = KeptColumns(str(tmp_path / "in.csv"), "body", ["id"], keep_text=False)
    write_vectors(vectors_of(kept), str(tmp_path / "out.jsonl"), kept)
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert json.loads(lines[1]) == {"id": "9", "vector": [3, 4, 5]}
    kept = KeptColumns(str(tmp_path / "in.csv"), "body", ["id"], keep_text=False)
    write_vectors(vectors_of(kept), str(tmp_path / "out.parquet"), kept)
    assert pq.read_table(tmp_path / "out.parquet").column_names == ["id", "vector"]


def test_types_of_parquet_are_kept_also_where_the_first_rows_are_empty(tmp_path: Path) -> None:
    held = {"text": ["a", "b", "c"], "day": [None, None, date(2024, 2, 29)], "n": pa.array([None, 1, 2], pa.int16())}
    pq.write_table(pa.table(held), tmp_path / "in.parquet")
    kept = KeptColumns(str(tmp_path / "in.parquet"), None, ["day", "n"], keep_text=False)
    write_vectors(vectors_of(kept, size=1), str(tmp_path / "out.parquet"), kept)
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.schema.field("day").type == pa.date32()
    assert found.schema.field("n").type == pa.int16()
    assert found["day"].to_pylist() == [None, None, date(2024, 2, 29)]


def test_plain_lines_and_odd_texts(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": "a \\ud800 b", "x": null}\n\n"no object"\n')
    kept = KeptColumns(str(tmp_path / "in.jsonl"), None, [], keep_text=True)
    write_vectors(vectors_of(kept), str(tmp_path / "out.parquet"), kept)
    assert pq.read_table(tmp_path / "out.parquet")["text"].to_pylist() == ["a \ufffd b", "no object"]


def test_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": "a", "x": 1, "vector": 2}\n{"text": "b", "x": "one"}\n')
    source = str(tmp_path / "in.jsonl")
    with pytest.raises(InputError, match="no column 'y'"):
        list(KeptColumns(source, None, ["y"], keep_text=False).texts())
    with pytest.raises(InputError, match="vectors are called so"):
        list(KeptColumns(source, None, ["vector"], keep_text=False).texts())
    kept = KeptColumns(source, None, ["x"], keep_text=False)
    with pytest.raises(InputError, match="'x' holds values of several kinds"):
        write_vectors(vectors_of(kept, size=1), str(tmp_path / "out.parquet"), kept)
    with pytest.raises(OutputError, match=r"vectors alone; to keep columns write \.parquet, \.arrow, \.jsonl"):
        check_target(str(tmp_path / "out.npy"), columns=True)
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_dims_on_the_command_line(tiny_bert_dir: Path, tmp_path: Path) -> None:
    from attar.cli import main

    (tmp_path / "in.csv").write_text(CSV)
    command = ["encode", str(tmp_path / "in.csv"), "--column", "body", "--model", str(tiny_bert_dir)]
    main([*command, "--shape", "unit", "-o", str(tmp_path / "all.npy")])
    main([*command, "--shape", "unit", "--dims", "5", "--keep-text", "-o", str(tmp_path / "few.parquet")])
    main([*command, "-o", str(tmp_path / "plain.npz")])
    main([*command, "--dims", "5", "-o", str(tmp_path / "plain5.npz")])
    every = np.load(tmp_path / "all.npy")
    table = pq.read_table(tmp_path / "few.parquet")
    few = np.array(table["vector"].to_pylist())
    np.testing.assert_allclose(few, every[:, :5] / np.linalg.norm(every[:, :5], axis=1, keepdims=True), atol=1e-6)
    assert table["body"].to_pylist()[1] == "a dog, ran"
    plain, plain5 = (np.load(tmp_path / name)["vectors"] for name in ("plain.npz", "plain5.npz"))
    np.testing.assert_array_equal(plain5, plain[:, :5])
    assert not math.isclose(np.linalg.norm(plain5[0]), 1)
