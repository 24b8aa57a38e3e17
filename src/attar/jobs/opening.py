"""An index by its folder, also where its model has moved."""

from __future__ import annotations

from pathlib import Path

from attar.jobs.index import Index
from attar.jobs.index_files import RECIPE, About
from attar.persist import moved_encoder


def open_index(folder: str, model: str | None = None) -> Index:
    """The index of a folder; `model` says where the model is now."""
    place = Path(folder).expanduser()
    About.read(place)
    return Index.open(place, encoder=moved_encoder(place / RECIPE, model))
