"""JobFolder: the state of a job on disk. Products are written aside and renamed, their done-marks last."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from attar.corpus.inputs.input_file import InputFile
from attar.errors import DataError, OutputError
from attar.io.atomic import check_own_folder
from attar.io.foreign import read_json_object
from attar.io.locks import exclusive

# A leading underscore hides a file from readers of Parquet folders.
PLAN, DONE, MANIFEST, LOCK = "_plan.json", "_done", "_manifest.json", "_lock"
_ASIDE = ".part"


@dataclass(frozen=True)
class JobFolder:
    """Where a job writes; any number of workers may use it at once, and be killed at any time."""

    path: Path

    @classmethod
    def at(cls, path: str | Path) -> Self:
        """A folder that is a job's, or is empty, or is not there yet."""
        path = Path(path).expanduser().absolute()
        check_own_folder(path, is_job, "the folder of a job")
        return cls(path)

    def known_sources(self) -> list[InputFile]:
        """Inputs as an earlier run found them; none, if that was one of another version."""
        try:
            return [InputFile.from_json(source) for source in (self._plan() or {})["plan"]["sources"]]
        except (KeyError, TypeError):
            return []

    @contextmanager
    def begun(self, identity: Mapping[str, Any], plan: Mapping[str, Any], *, overwrite: bool = False) -> Iterator[None]:
        """Start, or go on with, the job of this identity, as the only process that does.

        Another job's folder is refused. With `overwrite` it is emptied, as is one of this job that was finished.
        """
        try:
            (self.path / DONE).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"can't write the folder {str(self.path)!r}: {error.strerror}") from None
        with exclusive(self.path / LOCK):
            changed = self._changed(identity)
            if overwrite and (changed or (self.path / MANIFEST).exists()):
                self._empty()
                (self.path / DONE).mkdir()
            elif changed:
                raise OutputError(
                    f"{str(self.path)!r} was begun with different {', '.join(changed)}; "
                    "choose another folder, or --overwrite to start again"
                )
            if self._plan() is None:
                with self.writing(PLAN) as aside:
                    about = {"identity": identity, "plan": plan}
                    aside.write_text(json.dumps({**about, "mark": _digest(about)}), encoding="utf-8")
            self.sweep()
            yield

    def _changed(self, identity: Mapping[str, Any]) -> list[str]:
        """Which settings differ from those the folder was begun with."""
        earlier = self._plan()
        if earlier is None:
            return ["settings (its plan is missing or damaged)"] if self.done() else []
        return [key for key in identity if earlier["identity"].get(key) != identity[key]]

    def sweep(self) -> None:
        """Remove temporary files of killed workers; call it only while no worker is running."""
        for left_behind in self.path.glob(f".*{_ASIDE}"):
            _remove(left_behind)

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """A place to write to; it takes its name when all went well."""
        target = self.path / name
        aside = self.path / f".{target.name}.{uuid4().hex}{_ASIDE}"
        try:
            yield aside
            os.replace(aside, target)
        except OSError as error:
            if isinstance(error, OutputError):
                raise
            raise OutputError(f"can't write {str(target)!r}: {error}") from None
        finally:
            aside.unlink(missing_ok=True)

    def mark(self, name: str, product: str, facts: Mapping[str, Any]) -> None:
        """Mark a unit as done, with its file; always the last step of a unit."""
        about = {"file": product, "bytes": (self.path / product).stat().st_size, **facts}
        with self.writing(f"{DONE}/{name}.json") as aside:
            aside.write_text(json.dumps({**about, "mark": _digest(about)}), encoding="utf-8")

    def facts(self, name: str) -> dict[str, Any]:
        """What `mark` was given, with the file and its size.

        Raises
        ------
        DataError
            If the mark can't be read or is not as it was written.
        """
        path = self.path / DONE / f"{name}.json"
        found = read_json_object(path, DataError)
        if found.pop("mark", None) != _digest(found):
            raise DataError(f"{str(path)!r} is not as it was written; remove it and run the same command again")
        return found

    def done(self) -> set[str]:
        """Names of all that is done: marked, and its file there and of the size that it had."""
        return {name for file in os.listdir(self.path / DONE) if self._is_sound(name := file.removesuffix(".json"))}

    def _is_sound(self, name: str) -> bool:
        try:
            facts = self.facts(name)
            return bool((self.path / facts["file"]).stat().st_size == facts["bytes"])
        except (OSError, DataError):
            return False

    def remove(self) -> None:
        self._empty()
        shutil.rmtree(self.path, ignore_errors=True)

    def _empty(self) -> None:
        """Delete in an order that leaves a valid unfinished job if this is interrupted."""
        names = sorted(set(os.listdir(self.path)) - {MANIFEST, DONE, PLAN, LOCK})
        for name in (MANIFEST, DONE, *names, PLAN):
            _remove(self.path / name)

    def _plan(self) -> dict[str, Any] | None:
        try:
            content = json.loads((self.path / PLAN).read_text(encoding="utf-8"))
            return content if content.pop("mark") == _digest(content) else None
        except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
            return None


def _digest(facts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def is_job(names: Sequence[str]) -> bool:
    """Whether a folder that holds these names is a job's."""
    return bool({PLAN, DONE, LOCK}.intersection(names))


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
