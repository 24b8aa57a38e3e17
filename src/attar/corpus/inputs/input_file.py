"""InputFile: one input file, what it holds and where its rows begin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from glob import glob
from pathlib import Path
from typing import Any, Self

from attar.errors import InputError, unknown_name
from attar.io.columns import KINDS, kind_named

STEP = 4096  # rows between two places where a file of lines can be entered


@dataclass(frozen=True)
class InputFile:
    """A file as it was when it was indexed. `places`: byte (unpacked, if gzip) where row 0, STEP, 2 STEP ... begins."""

    path: str
    size: int
    modified_ns: int
    changed_ns: int  # unlike the time of modification, nothing can set it back
    sha256: str
    rows: int
    asked: tuple[str | None, str | None] = (None, None)  # the columns of texts and ids, where they were named
    text_column: str | None = None
    id_column: str | None = None
    id_type: str | None = None  # as Arrow calls it, where it does
    fields: tuple[str, ...] = ()  # the header of .csv and .tsv
    places: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        return kind_of(self.path)

    @property
    def content(self) -> dict[str, Any]:
        """What makes it the same input, wherever it lies and whenever it was touched."""
        return {
            "sha256": self.sha256,
            "rows": self.rows,
            "text_column": self.text_column,
            "id_column": self.id_column,
            "id_type": self.id_type,
        }

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{**data, **{name: tuple(data[name]) for name in ("asked", "fields", "places")}})


@dataclass(frozen=True)
class Slice:
    """Rows of one source: `skip` rows behind byte `place`, then `rows` rows; for Parquet `skip` counts from row 0."""

    path: str
    size: int  # of the whole file
    place: int
    skip: int
    rows: int
    first: int  # the number of the first row in its file
    text_column: str | None
    id_column: str | None
    fields: tuple[str, ...]

    @classmethod
    def of(cls, source: InputFile, start: int, stop: int, with_ids: bool = True) -> Self:
        place, skip = 0, start
        if source.kind != "parquet":
            place, skip = source.places[start // STEP], start % STEP
        id_column = source.id_column if with_ids else None
        rows, columns = stop - start, (source.text_column, id_column)
        return cls(source.path, source.size, place, skip, rows, start, *columns, source.fields)


def kind_of(path: str) -> str:
    kind = kind_named(path)
    if kind is None:
        raise unknown_name("ending of a file of texts", Path(path).name, [*KINDS, "all but .parquet also .gz"])
    return kind


def find_files(patterns: Sequence[str]) -> list[str]:
    """Files that the patterns name: in the order of the patterns, each pattern's files by name."""
    found: dict[str, None] = {}
    for pattern in patterns:
        matches = [pattern] if Path(pattern).is_file() else sorted(glob(pattern, recursive=True))
        files = [str(Path(match).absolute()) for match in matches if Path(match).is_file()]
        if not files:
            folder = any(Path(match).is_dir() for match in matches)
            hint = f": it is a folder; give its files, such as {pattern.rstrip('/') + '/*.txt'!r}" if folder else ""
            raise InputError(f"no file of texts matches {pattern!r}{hint}")
        for path in files:
            kind_of(path)
        found |= dict.fromkeys(files)
    if not found:
        raise InputError("no texts given; name files or patterns, such as 'in/*.parquet'")
    return list(found)
