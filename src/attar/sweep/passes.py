"""Passes: folders of pooled blocks, described so that a later run knows what it can use again."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attar.io.atomic import new_file

DESCRIPTION = "pass.json"
_LISTS = ("shared", "local", "layers", "average_layers")


@dataclass(frozen=True)
class PassSpec:
    """What went or is to go through the model once: all that its blocks depend on."""

    model: str  # `SweptModel.key`
    template: str | None
    subjects: Mapping[str, str]  # name: fingerprint, in order
    counted: str | None  # sha256 of the background corpus, where weights learn from it
    embedded: str | None  # and of the part of it that goes through the model
    averaged: str | None  # and of the part that Avg. is made from
    shared: tuple[str, ...]
    local: tuple[str, ...]
    layers: tuple[int, ...]
    average_layers: tuple[int, ...]
    block_texts: int

    @property
    def id(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:16]

    def covers(self, needed: PassSpec) -> bool:
        """Whether its blocks hold all that is needed."""
        same = self.model == needed.model and self.template == needed.template
        corpora = all(
            getattr(needed, name) in (None, getattr(self, name)) for name in ("counted", "embedded", "averaged")
        )
        held = all(set(getattr(needed, name)) <= set(getattr(self, name)) for name in _LISTS)
        return same and corpora and held and needed.subjects.items() <= self.subjects.items()


def find_pass(cache: Path, needed: PassSpec, known: Mapping[str, str]) -> PassSpec:
    """A pass that was begun or kept and holds what is needed, of known subjects only; else the needed one itself."""
    for path in sorted(cache.glob(f"*/{DESCRIPTION}")):
        begun = _read(path)
        if begun is not None and begun.covers(needed) and begun.subjects.items() <= known.items():
            return begun
    return needed


def open_pass(cache: Path, spec: PassSpec) -> Path:
    """Its folder, made and described if it is new."""
    folder = cache / spec.id
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / DESCRIPTION).is_file():
        with new_file(folder / DESCRIPTION) as aside:
            aside.write_text(json.dumps(asdict(spec), indent=1) + "\n", encoding="utf-8")
    return folder


def drop_pass(folder: Path) -> None:
    """The description goes first: blocks without one are never used."""
    (folder / DESCRIPTION).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _read(path: Path) -> PassSpec | None:
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for name in _LISTS:
            data[name] = tuple(data[name])
        spec = PassSpec(**data)
        return spec if spec.id == path.parent.name else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None  # of another version, damaged, or not ours: not used, not touched
