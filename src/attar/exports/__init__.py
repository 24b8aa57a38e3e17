"""Exports: a fitted recipe as a folder that runs where people already work, without Attar."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from attar.errors import unknown_name
from attar.files import check_target_folder

if TYPE_CHECKING:
    from attar.embedder import Embedder

# name of the format: the module whose `export` writes it
FORMATS = {
    "sentence-transformers": "attar.exports.sentence_transformers",
    "model2vec": "attar.exports.model2vec",
    "onnx": "attar.exports.onnx",
}

__all__ = ["FORMATS", "export"]


def export(embedder: Embedder, to: str, folder: str | Path, *, overwrite: bool = False) -> list[str]:
    """Write a fitted embedder as a folder of another library; returns what its users should know."""
    if to not in FORMATS:
        raise unknown_name("export format", to, FORMATS)
    target = Path(folder).expanduser()
    check_target_folder(target, overwrite=overwrite)
    notes: list[str] = import_module(FORMATS[to]).export(embedder, target, overwrite=overwrite)
    return notes
