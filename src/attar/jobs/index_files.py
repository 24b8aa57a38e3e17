"""What an index is on disk: index.json, the fitted recipe, and parts of vectors and texts that are mapped, not read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from attar._version import __version__
from attar.errors import InputError
from attar.io.atomic import new_file
from attar.io.foreign import reading
from attar.types import Floats

ABOUT, RECIPE = "index.json", "recipe"
FORMAT = 1


@dataclass(frozen=True)
class About:
    """index.json: everything that is needed to open the parts."""

    dims: int
    parts: tuple[int, ...] = ()  # the number of rows of each
    fitted_on: int | None = None  # texts that the recipe learned from; None where it learns nothing
    zeros: int = 0  # texts whose vector is zero, which no query finds
    approximate: dict[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return sum(self.parts)

    def with_part(self, rows: int, zeros: int) -> About:
        return replace(self, parts=(*self.parts, rows), zeros=self.zeros + zeros)

    def write(self, folder: Path) -> None:
        """The file that makes parts count: it is replaced last."""
        content = {"format": FORMAT, "attar": __version__, **asdict(self)}
        with new_file(folder / ABOUT) as aside:
            aside.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Refuses whatever `write` would not have written."""
        path = folder / ABOUT
        if not path.is_file():
            if not folder.exists():
                raise InputError(f"there is no index {str(folder)!r}; make one with `attar index`") from None
            raise InputError(f"{str(folder)!r} is not an index: it has no {ABOUT}; make one with `attar index`")
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                raise InputError(
                    f"{str(folder)!r} is an index of format {content['format']!r}; this version reads {FORMAT}: "
                    "build it again"
                )
            values = {name: content[name] for name in cls.__dataclass_fields__}
            return cls(**{**values, "parts": tuple(values["parts"])})._checked()
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path} is damaged: {type(error).__name__} {error}; build the index again") from None

    def _checked(self) -> Self:
        """Refuses numbers that are none, or that no index has."""
        counts = (self.dims, *self.parts)
        if not self.parts or any(type(n) is not int or n < 1 for n in counts):
            raise ValueError(f"dims and parts are {counts!r:.100}")
        if type(self.zeros) is not int or not isinstance(self.fitted_on, (int, type(None))):
            raise ValueError(f"zeros and fitted_on are {(self.zeros, self.fitted_on)!r:.100}")
        if not isinstance(self.approximate, dict):
            raise ValueError(f"approximate is {self.approximate!r:.100}")
        return self


def vectors_file(folder: Path, number: int) -> Path:
    return folder / f"vectors-{number:05}.npy"


def texts_file(folder: Path, number: int) -> Path:
    return folder / f"texts-{number:05}.arrow"


def write_part(folder: Path, number: int, ids: Sequence[Any], texts: Sequence[str], vectors: Floats) -> None:
    """One part; it counts once index.json names it."""
    table = pa.table({"id": _id_array(ids), "text": pa.array(texts, pa.large_string())})
    with new_file(texts_file(folder, number)) as aside, pa.ipc.new_file(str(aside), table.schema) as writer:
        writer.write_table(table)
    with new_file(vectors_file(folder, number)) as aside, open(aside, "wb") as file:
        np.save(file, np.ascontiguousarray(vectors, dtype=np.float32))


def check_id(value: Any) -> None:
    """Refuses what can't be an id."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise InputError(f"the id {value!r:.100} ({type(value).__name__}) is neither a whole number nor a string")
    if isinstance(value, str) and not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise InputError(f"the id {value!r:.100} is not Unicode: it holds half a character")


def _id_array(ids: Sequence[Any]) -> pa.Array:
    for value in ids:
        check_id(value)
    try:
        return pa.array(ids, pa.int64() if all(isinstance(value, int) for value in ids) else pa.large_string())
    except (pa.ArrowException, OverflowError) as error:
        raise InputError(f"ids are all whole numbers of 64 bits or all strings: {error}") from None


def map_vectors(folder: Path, about: About) -> list[Floats]:
    """The vectors of all parts, mapped. Shapes: (rows of the part, dims)"""
    found = []
    for number, rows in enumerate(about.parts):
        path = vectors_file(folder, number)
        with reading(path):
            part = np.load(path, mmap_mode="r", allow_pickle=False)
        if part.shape != (rows, about.dims) or part.dtype != np.float32:
            raise InputError(
                f"{path} is not as {ABOUT} says: {part.dtype} of shape {part.shape}, expected ({rows}, {about.dims})"
            )
        found.append(part)
    return found


def map_texts(folder: Path, about: About) -> list[pa.Table]:
    """The ids and texts of all parts, mapped."""
    found = []
    for number, rows in enumerate(about.parts):
        path = texts_file(folder, number)
        with reading(path):
            part = open_texts(path)
        if part.num_rows != rows or part.column_names != ["id", "text"]:
            raise InputError(f"{path} is not as {ABOUT} says: {part.num_rows} rows, expected {rows}")
        found.append(part)
    return found


def open_texts(path: Path) -> pa.Table:
    """A part, mapped; its rows are read by `read_rows`."""
    table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    table.validate()
    return table


def read_rows(table: pa.Table, path: Path, start: int = 0, n: int | None = None) -> dict[str, list[Any]]:
    """Rows as Python values, once it is known that they lie in the file: Arrow reads wherever it is told to."""
    rows = table.slice(start, n)
    with reading(path):
        rows.validate(full=True)
        found: dict[str, list[Any]] = rows.to_pydict()
    return found
