"""Ids of inputs are kept as they are, or it is told that they are not."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from inline_executor import Inline

from attar import Table, Transformer
from attar.corpus import embed_corpus
from attar.corpus.inputs.ids import common_type
from attar.errors import InputError


@pytest.fixture(scope="module")
def table(tiny_bert: Transformer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "table"
    Table(np.ones((len(tiny_bert.vocabulary), 2), np.float32), tiny_bert.backend_tokenizer).save(folder)
    return folder


def ids_of(recipe: Path, pattern: Path, out: Path, **choices: Any) -> tuple[str, list[Any]]:
    embed_corpus(recipe, [str(pattern)], out, Inline(), progress=False, **choices)
    column = ds.dataset(out).to_table()["id"]
    return str(column.type), column.to_pylist()


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["int32", "int64"], "int64"),
        (["int8", "int8"], "int8"),
        (["uint8", "uint32"], "uint32"),
        (["int16", "uint16"], "int32"),
        (["int8", "uint64"], None),
        (["string", "large_string"], "large_string"),
        (["string", "string_view"], "string"),
        (["string", "int64"], None),
        (["string", None], None),
        (["double"], None),
        ([], None),
    ],
)
def test_types_that_hold_all(types: list[str | None], expected: str | None) -> None:
    assert common_type(types) == expected


def test_whole_numbers_of_several_widths_are_kept(table: Path, tmp_path: Path) -> None:
    for name, kind, ids in (("a", pa.int32(), [7, 8]), ("b", pa.int64(), [2**40, 7])):
        pq.write_table(pa.table({"id": pa.array(ids, kind), "text": ["x", "y"]}), tmp_path / f"{name}.parquet")
    assert ids_of(table, tmp_path / "*.parquet", tmp_path / "out") == ("int64", [7, 8, 2**40, 7])


def test_dictionaries_of_strings_are_kept(table: Path, tmp_path: Path) -> None:
    ids = pa.array(["k", "l", "k"]).dictionary_encode()
    pq.write_table(pa.table({"id": ids, "text": ids}), tmp_path / "a.parquet", row_group_size=2)
    assert ids_of(table, tmp_path / "a.parquet", tmp_path / "out", shards=2) == ("string", ["k", "l", "k"])


def test_a_missing_id_is_null_not_some_other_rows_number(table: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "x"}\n{"id": null, "text": "y"}\n{"text": "z"}\n')
    assert ids_of(table, tmp_path / "a.jsonl", tmp_path / "out") == ("int64", [1, None, None])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"id": 1, "text": "x"}\n{"id": "two", "text": "y"}\n', "int64 and string"),
        ('{"id": 1.5, "text": "x"}\n', "float"),
        ('{"id": 18446744073709551616, "text": "x"}\n', "int"),
    ],
)
def test_ids_that_can_not_be_kept_are_told(
    table: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, content: str, told: str
) -> None:
    texts = tmp_path / "a.jsonl"
    texts.write_text(content)
    with pytest.raises(InputError, match=rf"ids are whole numbers.*a\.jsonl' has {told}"):
        ids_of(table, texts, tmp_path / "named", id_column="id")
    assert not (tmp_path / "named").exists()
    with caplog.at_level(logging.INFO, "attar"):
        kind, ids = ids_of(table, texts, tmp_path / "found")
    assert (kind, ids) == ("int64", list(range(len(ids))))
    assert "ids are the numbers of the rows" in caplog.text
    assert f"{str(texts)!r} has {told}" in caplog.text
