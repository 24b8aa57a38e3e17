"""What `attar encode` writes, read by DuckDB as docs/clients.md says."""

from __future__ import annotations

from pathlib import Path

import pytest

from attar.cli import main

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: `make clients` installs it")


def test_parquet_and_arrow(tiny_bert_dir: Path, tmp_path: Path) -> None:
    import pyarrow as pa

    (tmp_path / "news.csv").write_text("text,url\nthe cat sat,a\na dog ran,b\nthe cat,c\n")
    for ending in ("parquet", "arrow"):
        options = ["--keep-text", "--keep", "url", "-o", str(tmp_path / f"news.{ending}")]
        main(["encode", str(tmp_path / "news.csv"), "--model", str(tiny_bert_dir), *options])
    table = pa.ipc.open_file(pa.memory_map(str(tmp_path / "news.arrow"))).read_all()
    connection = duckdb.connect()
    parquet = connection.sql(f"SELECT * FROM '{tmp_path / 'news.parquet'}'")
    dims = table.schema.field("vector").type.list_size
    connection.register("news", table)
    assert str(connection.sql("SELECT vector FROM news").types[0]) == f"FLOAT[{dims}]"  # an array already
    nearest = connection.sql(
        f"""SELECT url FROM parquet ORDER BY array_cosine_similarity(
              vector::FLOAT[{dims}], (SELECT vector::FLOAT[{dims}] FROM parquet WHERE url = 'a')) DESC"""
    ).fetchall()
    assert nearest[0] == ("a",)
    assert parquet.columns == ["id", "text", "url", "vector"]
