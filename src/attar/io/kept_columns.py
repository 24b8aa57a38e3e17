"""Columns that go along with the vectors of their texts: taken in as rows are read, given out as vectors come."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from attar.errors import InputError
from attar.io.bounds import check_text
from attar.io.rows import Row, check_columns, column_types, read_rows, text_column
from attar.io.texts import without_surrogates

VECTOR = "vector"  # the column of vectors, which no other may be called


class KeptColumns:
    """The columns of a file that are written beside the vectors.

    Parameters
    ----------
    source : str
        The file, or - for stdin.
    column : str, optional
        Which column holds the texts, where the names do not tell.
    keep : sequence of str
        The columns to keep.
    keep_text : bool
        Keep the column of texts too, under its own name; "text" where the file is plain lines.
    """

    def __init__(self, source: str, column: str | None, keep: Sequence[str], keep_text: bool) -> None:
        self.source = source
        self.column = column
        self.keep = list(dict.fromkeys(keep))
        self.keep_text = keep_text
        self._held: deque[Row] = deque()

    @property
    def types(self) -> dict[str, Any]:
        """The Arrow types of columns, where the file says them."""
        return column_types(self.source)

    def texts(self) -> Iterator[Any]:
        """The texts, in order; what is kept of each row is held until `take` asks for it.

        Raises
        ------
        InputError
            If a column is not there, or is called as the column of vectors is.
        """
        name: str | None = None
        for row in read_rows(self.source):
            if name is None:
                name = text_column(row, self.column, self.source)
                self._settle(row, name)
            text = row.get(name)
            check_text(text, self.source)
            self._held.append({column: without_surrogates(row.get(column)) for column in self.keep})
            yield text

    def _settle(self, row: Row, text_name: str) -> None:
        check_columns(row, self.keep, self.source)
        if self.keep_text and text_name not in self.keep:
            self.keep = [text_name, *self.keep]
        if VECTOR in self.keep:
            raise InputError(f"the column {VECTOR!r} of {self.source!r} can't be kept: the vectors are called so")

    def take(self, n: int) -> dict[str, list[Any]]:
        """The columns of the next n rows."""
        rows = [self._held.popleft() for _ in range(n)]
        return {column: [row[column] for row in rows] for column in self.keep}
