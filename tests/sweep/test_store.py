from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from attar.errors import InputError, OutputError
from attar.sweep.store import FILE, Store, comparable
from sample_row import ROW


def test_rows_come_back_in_an_order_that_does_not_depend_on_when_they_came(tmp_path: Path) -> None:
    rows = [replace(ROW, cell=c, task=t) for c, t in (("3", "tweet"), ("1", "STS12"), ("2", "MR"))]
    for i, order in enumerate((rows, rows[::-1])):
        with Store(tmp_path / f"{i}.sqlite") as store:
            for row in order:
                store.add(row)
            assert [row.task for row in store.rows()] == ["MR", "STS12", "tweet"]
            assert store.rows()[0] == rows[2]


def test_cells_with_an_error_are_not_done(tmp_path: Path) -> None:
    with Store(tmp_path / FILE) as store:
        store.add(ROW)
        store.add(replace(ROW, cell="b", score=None, low=None, high=None, error="no"))
        assert store.done() == {"a1"}
        store.add(replace(ROW, cell="b", score=0.1))
        assert store.done() == {"a1", "b"}
        assert len(store.rows()) == 2


def test_other_tools_read_it(tmp_path: Path) -> None:
    with Store(tmp_path / FILE) as store:
        store.add(ROW)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]  # closed: no log beside it
    connection = sqlite3.connect(tmp_path / FILE)
    assert pd.read_sql("select * from cells", connection).loc[0, "score"] == 0.5
    assert pl.read_database("select * from cells", connection)["layers"].to_list() == ["1+12"]


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / FILE)
    store.add(ROW)
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(OutputError, match="full"):
        store.add(replace(ROW, cell="b", recipe="x" * 100_000))
    store.close()
    with Store(tmp_path / FILE) as again:
        assert again.rows() == [ROW]


def test_what_is_no_run_or_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no cells\.sqlite"):
        Store.of_run(tmp_path)
    (tmp_path / FILE).write_text("not a database, but long enough to look like a file with something in it" * 20)
    with pytest.raises(OutputError, match="not a database"):
        Store.of_run(tmp_path)


def test_comparable_leaves_out_only_the_seconds() -> None:
    assert comparable(ROW) == comparable(replace(ROW, seconds=9.0))
    assert comparable(ROW) != comparable(replace(ROW, score=0.51))
