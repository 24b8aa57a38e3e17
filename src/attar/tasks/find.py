"""Where in a folder the files of a published task lie, and in which form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from attar.errors import DataError
from attar.tasks.declaration import Declaration
from attar.tasks.readers.form import Form, Located, locate, stray
from attar.tasks.readers.table import ColumnTable


@dataclass(frozen=True)
class Found:
    """A task's files, in the first form of which all are there."""

    form: Form
    located: tuple[Located, ...]

    @property
    def paths(self) -> tuple[Path, ...]:
        return tuple(path for part in self.located for path in part.paths)

    def read(self) -> dict[str, ColumnTable]:
        """The rows of each split."""
        return {part.split: self.form.read(part.paths, part.split) for part in self.located}


def find(wanted: Declaration, data: Path, splits: tuple[str, ...]) -> Found:
    """The first form of which the folder holds all files; tidy comes first."""
    if not data.is_dir():
        raise DataError(f"{str(data)!r} is not a folder: name the folder that holds the datasets")
    for form in wanted.all_forms:
        located = locate(form, data, splits)
        if located is not None:
            return Found(form, located)
    raise _missing(wanted, data, splits)


def _missing(wanted: Declaration, data: Path, splits: tuple[str, ...]) -> DataError:
    tried = []
    for form in wanted.all_forms:
        files = list(dict.fromkeys(name for split in splits for name in form.files(split)))
        folder = f"{form.folders[0]}/" if form.folders[0] else ""
        rest = f" and {len(files) - 3} more" if len(files) > 3 else ""
        tried.append(f"{folder}{', '.join(files[:3])}{rest} ({form.title})")
    message = f"no files of {wanted.name} in {data}; tried, each also as .gz: {'; '.join(tried)}."
    for form in wanted.all_forms:
        there, absent = stray(form, data, splits)
        if there:
            message += f" {there[0]} is there, but not {absent[0].name}."
            break
    return DataError(f"{message} Public at: {', '.join(wanted.sources)}")
