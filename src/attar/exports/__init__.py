"""Exports: a fitted recipe as a folder that runs where people already work, without Attar."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from attar.errors import OutputError, unknown_name
from attar.io.atomic import check_target_folder

if TYPE_CHECKING:
    from attar.embedder import Embedder


@dataclass(frozen=True)
class Format:
    """One line of the table of formats: the module whose `export` writes it, and what it is for.

    Parameters
    ----------
    module : str
        The module whose `export` writes the format.
    help : str
        What the format is for.
    """

    module: str
    help: str


# The one table of formats: names on the command line and in messages; a module is imported when it writes.
FORMATS: dict[str, Format] = {
    "sentence-transformers": Format("attar.exports.sentence_transformers", "a SentenceTransformer of its own modules"),
    "model2vec": Format("attar.exports.model2vec", "a StaticModel, for recipes that only look vectors up"),
    "onnx": Format("attar.exports.onnx.export", "one graph from token ids to vectors, for ONNX Runtime"),
}

CARD, SIGNATURE = "README.md", "Written by Attar"  # every export has the one in the other

__all__ = ["FORMATS", "Format", "export"]


def export(embedder: Embedder, to: str, folder: str | Path, *, overwrite: bool = False) -> list[str]:
    """Write a fitted embedder as a folder of another library.

    Parameters
    ----------
    embedder : Embedder
        Fitted, or with nothing to learn.
    to : {"sentence-transformers", "model2vec", "onnx"}
        The format.
    folder : str or Path
        The folder to write; it appears whole or not at all.
    overwrite : bool
        Replace an earlier export.

    Returns
    -------
    list of str
        Notes that users of the folder should know.

    Raises
    ------
    InputError
        If the format is unknown.
    RecipeError
        If the format can't hold the recipe; it says what could be exported instead.
    OutputError
        If the folder can't be written.
    MissingExtra
        If a package that the format needs is not installed.
    """
    if to not in FORMATS:
        raise unknown_name("export format", to, FORMATS)
    target = Path(folder).expanduser()
    check_target(target, overwrite=overwrite)
    notes: list[str] = import_module(FORMATS[to].module).export(embedder, target, overwrite=overwrite)
    return notes


def check_target(folder: Path, *, overwrite: bool) -> None:
    """Says early that the folder can't be written; nothing but an earlier export is ever replaced."""
    check_target_folder(folder, CARD, overwrite=overwrite)
    card = folder / CARD
    if card.exists() and not (card.is_file() and SIGNATURE in card.read_text(encoding="utf-8", errors="replace")):
        raise OutputError(
            f"can't overwrite the folder {str(folder)!r}: it is not an export of Attar (its {CARD} does not say so); "
            "remove it yourself or choose another name"
        )
