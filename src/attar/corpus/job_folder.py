"""JobFolder: the state of a job on disk. Products are written aside and renamed, their done-marks last."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from attar.corpus.source import Source
from attar.errors import OutputError
from attar.files import check_parent

# A leading underscore hides a file from readers of Parquet folders.
PLAN, DONE, MANIFEST = "_plan.json", "_done", "_manifest.json"
_ASIDE = ".part"


@dataclass(frozen=True)
class JobFolder:
    """Where a job writes; any number of workers may use it at once, and be killed at any time."""

    path: Path

    @classmethod
    def at(cls, path: str | Path) -> Self:
        """A folder that is a job's, or is empty, or is not there yet."""
        path = Path(path).expanduser().absolute()
        check_parent(path)
        if path.is_file():
            raise OutputError(f"can't write the folder {str(path)!r}: it is a file")
        names = os.listdir(path) if path.is_dir() else []
        if names and not {PLAN, DONE}.intersection(names):
            raise OutputError(
                f"the folder {str(path)!r} holds other files, such as {sorted(names)[0]!r}; choose another"
            )
        return cls(path)

    def known_sources(self) -> list[Source]:
        """Inputs as an earlier run found them."""
        plan = self._plan()
        return [Source.from_json(source) for source in plan["plan"]["sources"]] if plan else []

    def begin(self, identity: Mapping[str, Any], plan: Mapping[str, Any], *, overwrite: bool = False) -> None:
        """Start, or go on with, the job of this identity; another one is refused, or with `overwrite` removed."""
        if overwrite:
            self.remove()
        try:
            (self.path / DONE).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"can't write the folder {str(self.path)!r}: {error.strerror}") from None
        earlier = self._plan()
        if earlier is None:
            with self.writing(PLAN) as aside:
                aside.write_text(json.dumps({"identity": identity, "plan": plan}), encoding="utf-8")
        else:
            changed = [key for key in identity if earlier["identity"].get(key) != identity[key]]
            if changed:
                raise OutputError(
                    f"{str(self.path)!r} was begun with other {', '.join(changed)}; "
                    "choose another folder, or --overwrite to start anew"
                )
        self.sweep()

    def sweep(self) -> None:
        """Remove what workers that were killed have left behind; to be called while none is at work."""
        for left_behind in self.path.glob(f".*{_ASIDE}"):
            left_behind.unlink(missing_ok=True)

    @contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """A place to write to; it takes its name when all went well."""
        target = self.path / name
        aside = self.path / f".{target.name}.{uuid4().hex}{_ASIDE}"
        try:
            yield aside
            os.replace(aside, target)
        finally:
            aside.unlink(missing_ok=True)

    def mark(self, name: str, facts: Mapping[str, Any]) -> None:
        """This is done: the very last step of a unit."""
        with self.writing(f"{DONE}/{name}.json") as aside:
            aside.write_text(json.dumps(facts), encoding="utf-8")

    def facts(self, name: str) -> dict[str, Any]:
        """What `mark` was given."""
        found: dict[str, Any] = json.loads((self.path / DONE / f"{name}.json").read_text(encoding="utf-8"))
        return found

    def done(self) -> set[str]:
        """Names of all that is done."""
        return {name.removesuffix(".json") for name in os.listdir(self.path / DONE)}

    def unmark(self, name: str) -> None:
        (self.path / DONE / f"{name}.json").unlink(missing_ok=True)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _plan(self) -> dict[str, Any] | None:
        try:
            content = json.loads((self.path / PLAN).read_text(encoding="utf-8"))
            return content if {"identity", "plan"} <= set(content) else None
        except (OSError, ValueError, TypeError):
            return None
