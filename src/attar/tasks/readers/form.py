"""What a form is, and where in a folder its files are looked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from attar.tasks.readers.table import ColumnTable

# Below the folder the user names: itself, and where unpacked archives and checkouts put their data.
_ROOTS = ("", "data", "downstream", "data/downstream", "SentEval/data/downstream", "senteval/data/downstream")


class Form(Protocol):
    """One way in which a dataset is distributed."""

    @property
    def title(self) -> str:
        """Its name in listings and messages."""
        ...

    @property
    def folders(self) -> tuple[str, ...]:
        """Where its files lie, most likely first; "" is the folder itself."""
        ...

    def files(self, split: str) -> tuple[str, ...]:
        """The files of a split; each may also be there as .gz."""
        ...

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        """The rows of a split, from the paths of `files(split)`."""
        ...


@dataclass(frozen=True)
class Located:
    """The files of one split, in the order of `Form.files`."""

    split: str
    paths: tuple[Path, ...]


def locate(form: Form, data: Path, splits: Sequence[str]) -> tuple[Located, ...] | None:
    """The files of all these splits in one folder, or None where no folder has them all."""
    for place in _places(form, data):
        found = [(split, [_existing(place / name) for name in form.files(split)]) for split in splits]
        if all(path is not None for _, paths in found for path in paths):
            return tuple(Located(split, tuple(path for path in paths if path is not None)) for split, paths in found)
    return None


def stray(form: Form, data: Path, splits: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """Where a form is there only in part: the files that are there, and those that are not."""
    for place in _places(form, data):
        wanted = [place / name for split in splits for name in form.files(split)]
        there = [path for path in wanted if _existing(path) is not None]
        if there:
            return there, [path for path in wanted if path not in there]
    return [], []


def _places(form: Form, data: Path) -> Iterator[Path]:
    for folder in form.folders:
        for root in _ROOTS:
            yield data / root / folder
    if data.resolve().name in {Path(folder).name for folder in form.folders}:
        yield data  # the user named the innermost folder


def _existing(path: Path) -> Path | None:
    for candidate in (path, path.with_name(path.name + ".gz")):
        if os.path.isfile(candidate):  # unlike Path.is_file, False (not an error) below a folder that can't be entered
            return candidate
    return None
