"""Documents of a file: each text with its id, and with all its columns where they are wanted."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from attar.errors import InputError
from attar.io.plural import number_of
from attar.io.rows import Row, id_column, read_rows, text_column
from attar.io.texts import check_texts

log = logging.getLogger("attar")


def read_documents(
    source: str, column: str | None = None, ids: str | None = None, first: int = 0
) -> Iterator[tuple[Any, Any]]:
    """Pairs of id and text, in order; where there is no column of ids, rows are numbered from `first` on."""
    text_name: str | None = None
    id_name: str | None = None
    for number, row in enumerate(read_rows(source), first):
        if text_name is None:
            text_name = text_column(row, column, source)
            id_name = id_column(row, ids, source)
        yield (number if id_name is None else row.get(id_name)), row.get(text_name)


@dataclass(frozen=True)
class Documents:
    """A file of texts, held whole."""

    rows: list[Row]
    ids: list[Any]
    texts: list[str]

    @classmethod
    def read(cls, source: str, column: str | None = None, ids: str | None = None) -> Documents:
        """All rows of a file that holds at least one."""
        rows = list(read_rows(source))
        if not rows:
            raise InputError(f"{source!r} holds no texts")
        text_name, id_name = text_column(rows[0], column, source), id_column(rows[0], ids, source)
        texts, replaced = check_texts(row.get(text_name) for row in rows)
        if replaced:
            log.warning("lone surrogates became U+FFFD in %s", number_of(replaced, "text"))
        rows = [_whole_characters(row) for row in rows]
        named = list(range(len(rows))) if id_name is None else [row.get(id_name) for row in rows]
        return cls(rows, named, texts)

    def __len__(self) -> int:
        return len(self.texts)


def _whole_characters(row: Row) -> Row:
    """Halves of characters, which JSON allows and no file can hold, become U+FFFD in all columns."""
    if all(value.isascii() for value in row.values() if isinstance(value, str)):
        return row
    return {name: check_texts([value])[0][0] if isinstance(value, str) else value for name, value in row.items()}
