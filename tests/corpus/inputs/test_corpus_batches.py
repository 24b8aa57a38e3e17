"""What is held of a shard at once is bounded, also where texts are long."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attar.corpus.inputs import batches as module
from attar.corpus.inputs import rows
from attar.corpus.inputs.batches import batches
from attar.corpus.inputs.index import IndexFile
from attar.corpus.inputs.shards import Shard, ShardPlan


def unit_of(path: Path) -> Shard:
    return list(ShardPlan((IndexFile()(str(path)),), 2).shards())[1]


def test_few_long_texts_or_many_short_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["unread", "x" * 5, "x" * 7, "x" * 30, "x", "x", "x", "x"]
    (tmp_path / "a.txt").write_text("".join(f"{text}\n" for text in ["unread"] * 6 + texts))
    monkeypatch.setattr(module, "CHARACTERS", 10)
    found = [(first, [len(text) for _, text in batch]) for first, batch in batches(unit_of(tmp_path / "a.txt"), 3)]
    assert found == [(7, [5, 7]), (9, [30]), (10, [1, 1, 1]), (13, [1])]


def test_parquet_is_read_by_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, asked = tmp_path / "a.parquet", []
    pq.write_table(pa.table({"text": [f"{i}" * 1000 for i in range(40)], "no": range(40)}), path, row_group_size=10)
    original = pq.ParquetFile.iter_batches
    monkeypatch.setattr(rows, "_PARQUET_BYTES", 4000)
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", lambda *a, **k: asked.append(a[1]) or original(*a, **k))
    assert [text for _, text in unit_of(path).read()] == [f"{i}" * 1000 for i in range(20, 40)]
    assert len(asked) == 2  # of four row groups
    assert all(1 <= size <= 4 for size in asked)
