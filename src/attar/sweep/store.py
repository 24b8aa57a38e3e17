"""Store: the cells of a sweep in one SQLite file, a transaction each, so that a kill loses nothing that was added.

Any reader of SQLite opens it: `pandas.read_sql("select * from cells", sqlite3.connect("RUN/cells.sqlite"))`.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, fields
from pathlib import Path
from typing import Self

from attar.errors import InputError, OutputError
from attar.sweep.cell_row import CellRow as CellRow
from attar.sweep.typed_row import typed_row

FILE = "cells.sqlite"


_LONGEST = 100_000_000  # bytes of one value
COLUMNS = tuple(field.name for field in fields(CellRow))
_TYPES = {
    "str": "TEXT NOT NULL",
    "int": "INTEGER NOT NULL",
    "float": "REAL NOT NULL",
    "str | None": "TEXT",
    "float | None": "REAL",
}


class Store:
    """The file of a run. Safe to use from several threads of one process."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path, self.read_only = path, read_only
        self._lock = threading.Lock()
        columns = ", ".join(f"{field.name} {_TYPES[str(field.type)]}" for field in fields(CellRow))
        with self._explained():
            place = _to_read(path) if read_only else path.absolute().as_uri()
            self._connection = sqlite3.connect(
                place, uri=True, check_same_thread=False, isolation_level=None, timeout=30
            )
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
            self._check_own()
            if not read_only:
                self._connection.execute("PRAGMA journal_mode=WAL")
                self._connection.execute("PRAGMA synchronous=NORMAL")
                self._connection.execute(f"CREATE TABLE IF NOT EXISTS cells ({columns}, PRIMARY KEY (cell))")

    @classmethod
    def of_run(cls, run: Path) -> Self:
        """The store of a folder that a sweep has written, to be read; nothing in the folder changes."""
        if not (run / FILE).is_file():
            raise InputError(f"{str(run)!r} is not the folder of a sweep: it has no {FILE}; make one with attar sweep")
        return cls(run / FILE, read_only=True)

    def _check_own(self) -> None:
        """Refuses a file with views, triggers or other tables, which could answer with anything and never end."""
        held = self._connection.execute(
            "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
        ).fetchall()
        columns = [row[1] for row in self._connection.execute("PRAGMA table_xinfo(cells)") if row[6] == 0]
        if (held or self.read_only) and (held != [("table", "cells")] or columns != list(COLUMNS)):
            self._connection.close()
            raise InputError(f"{str(self.path)!r} is not the store of a sweep: it was made by others, or altered")

    def add(self, row: CellRow) -> None:
        """Keep a cell for good; one that is there already is replaced."""
        marks = ", ".join("?" * len(COLUMNS))
        with self._lock, self._explained():
            self._connection.execute(f"INSERT OR REPLACE INTO cells VALUES ({marks})", astuple(row))

    def done(self) -> set[str]:
        """The ids of the cells that have a score."""
        with self._lock, self._explained():
            return {cell for (cell,) in self._connection.execute("SELECT cell FROM cells WHERE error IS NULL")}

    def rows(self) -> list[CellRow]:
        """All cells, in an order that does not depend on when they were added."""
        order = "task, model, template, layers, weights, shape, mix, cell"
        with self._lock, self._explained():
            found = self._connection.execute(f"SELECT {', '.join(COLUMNS)} FROM cells ORDER BY {order}").fetchall()
        return [typed_row(values, str(self.path)) for values in found]

    def scored(self) -> list[CellRow]:
        """The cells that have a score."""
        return [row for row in self.rows() if row.score is not None]

    def close(self) -> None:
        """Fold the log into the file, so that one file is all there is."""
        with self._lock, self._explained():
            if not self.read_only:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise OutputError(
                f"the store {str(self.path)!r} can't be used: {error}; what it holds is safe, rerun when that is mended"
            ) from error


def _to_read(path: Path) -> str:
    """Where to open a store that is only read: without a log beside it nobody writes, and no lock is needed."""
    alone = not path.with_name(path.name + "-wal").exists()
    return f"{path.absolute().as_uri()}?{'immutable=1' if alone else 'mode=ro'}"


def comparable(row: CellRow) -> dict[str, object]:
    """A row without what differs from one run to the next."""
    return {name: value for name, value in asdict(row).items() if name != "seconds"}
