"""Files with columns: what kind a file is, how its records are told apart, and which column holds the texts."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Protocol

from attar.errors import InputError
from attar.io.bounds import max_text_bytes

KINDS = {
    ".txt": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
_SEPARATORS = (";", "\t", "|")  # of other dialects
COLUMNS = ("text", "sentence", "content")  # what a column of texts is called where none is named


class Records(Protocol):
    """Rows of fields, and the number of lines read so far."""

    @property
    def line_num(self) -> int: ...

    def __iter__(self) -> Iterator[list[str]]: ...

    def __next__(self) -> list[str]: ...


def kind_named(name: str) -> str | None:
    """The kind of file that a name ends in, .gz or not; None for other endings, and for packed Parquet."""
    ending = Path(name.lower().removesuffix(".gz")).suffix
    if ending == ".parquet" and name.lower().endswith(".gz"):
        return None
    return KINDS.get(ending)


class _BoundedRecords:
    """csv.reader's rows, each of no more than a text may have: a quote that never ends would fill the memory."""

    def __init__(self, lines: Iterable[str], **form: Any) -> None:
        self._held = 0
        self._rows = csv.reader(self._counted(lines), strict=True, **form)

    @property
    def line_num(self) -> int:
        return self._rows.line_num

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        self._held = 0
        return next(self._rows)

    def _counted(self, lines: Iterable[str]) -> Iterator[str]:
        limit = max_text_bytes()
        for line in lines:
            self._held += len(line)
            if self._held > limit + 1:  # and the end of the last line
                raise csv.Error(f"a record is of more than {limit:,} characters (--max-text-bytes)")
            yield line


def records(lines: Iterable[str], kind: str) -> Records:
    """Records of "csv" (quotes may hide line ends) or "tsv" (a quote is a quote), from lines with their ends.

    A blank line is an empty record. What can't be read raises csv.Error.
    """
    csv.field_size_limit(sys.maxsize)  # of all readers in this process; ours have their own
    if kind == "csv":
        return _BoundedRecords(lines)
    return _BoundedRecords(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def choose_column(names: Sequence[str], wanted: str | None, source: str) -> str:
    """The column that holds the texts: the wanted one, one of the usual names, or the only one.

    Raises
    ------
    InputError
        Where the wanted column is missing, or none is wanted and the names do not tell.
    """
    if wanted is not None:
        if wanted not in names:
            raise InputError(_no_column(wanted, names, source))
        return _only(wanted, names, source)
    if _may_be_several(names):
        raise InputError(
            f"{source!r} has one column, called {names[0]!r}; if that is several, separate them as .csv (commas) or "
            ".tsv (tabs) does; if it is one, name it with --column"
        )
    found = [name for name in COLUMNS if name in names] or (list(names) if len(names) == 1 else [])
    if not found:
        raise InputError(
            f"which column of {source!r} holds the texts? It has {', '.join(names)}; name one with --column"
        )
    return _only(found[0], names, source)


def _may_be_several(names: Sequence[str]) -> bool:
    """Whether the only column looks like several that something else than commas parts."""
    return len(names) == 1 and any(mark in names[0] for mark in _SEPARATORS)


def _no_column(wanted: str, names: Sequence[str], source: str) -> str:
    near = get_close_matches(wanted, names, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    parted = "; separate columns as .csv (commas) or .tsv (tabs) does" if _may_be_several(names) else ""
    if source.lower().removesuffix(".gz").endswith(".txt"):
        return f"{source!r} has one text per line and no column {wanted!r}; leave --column out, or give a table (.csv)"
    return f"{source!r} has no column {wanted!r}{hint}; it has {', '.join(names)}{parted}"


def _only(name: str, names: Sequence[str], source: str) -> str:
    if names.count(name) > 1:
        raise InputError(f"{source!r} has {names.count(name)} columns called {name!r}; rename one of them")
    return name
