"""Documents of a file: each text with its id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attar.io.rows import Row, id_column, read_rows, text_column


def read_documents(
    source: str, column: str | None = None, ids: str | None = None, first: int = 0
) -> Iterator[tuple[Any, Any]]:
    """Pairs of id and text, in order; where there is no column of ids, rows are numbered from `first` on."""
    text_name: str | None = None
    id_name: str | None = None
    row: Row
    for number, row in enumerate(read_rows(source), first):
        if text_name is None:
            text_name = text_column(row, column, source)
            id_name = id_column(row, ids, source)
        yield (number if id_name is None else row.get(id_name)), row.get(text_name)
