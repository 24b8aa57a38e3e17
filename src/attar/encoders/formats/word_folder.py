"""WordVectors as a folder: word_vectors.json, words.txt (one per line) and vectors.safetensors, mapped on load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attar.encoders.formats.table_parts import read_json_object
from attar.errors import ModelError, OutputError
from attar.io.arrays import map_arrays, take, write_arrays
from attar.io.atomic import new_folder
from attar.types import Floats

if TYPE_CHECKING:
    from attar.encoders.word_vectors import WordVectors

FORMAT = 1
ABOUT, WORDS, ARRAYS = "word_vectors.json", "words.txt", "vectors.safetensors"
_KINDS = {"split": str, "lower": bool, "drop_frequent": int, "frequent": (list, type(None))}


def write_folder(vectors: WordVectors, folder: Path, *, overwrite: bool) -> None:
    broken = next((word for word in vectors.words if "\n" in word), None)
    if broken is not None:
        raise OutputError(f"the word {broken!r} holds a line break and can't be written to {WORDS}")
    about = {"format": FORMAT, "words": len(vectors.words), **vectors.settings()}
    with new_folder(folder, ABOUT, overwrite=overwrite) as aside:
        write_arrays(aside / ARRAYS, {"vectors": vectors.vectors})
        (aside / WORDS).write_text("\n".join(vectors.words) + "\n", encoding="utf-8", newline="\n")
        (aside / ABOUT).write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_folder(folder: Path) -> tuple[list[str], Floats, dict[str, Any]]:
    """The words, their vectors and the settings, all checked."""
    about = read_json_object(folder / ABOUT)
    if about.get("format") != FORMAT:
        raise ModelError(f"{folder / ABOUT} is of format {about.get('format')!r}; this version reads {FORMAT}")
    settings = {name: about.get(name) for name in _KINDS}
    for name, kind in _KINDS.items():
        if not isinstance(settings[name], kind):  # type: ignore[arg-type]
            raise ModelError(f"{folder / ABOUT} is damaged: {name} is {settings[name]!r}")
    table = take(map_arrays(folder / ARRAYS), "vectors", folder / ARRAYS)
    try:
        words = (folder / WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    except (OSError, ValueError) as error:
        raise ModelError(f"can't read {folder / WORDS}: {error}") from None
    if table.ndim != 2 or table.dtype != "float32" or not len(words) == len(table) == about.get("words"):
        raise ModelError(
            f"{str(folder)!r} is damaged: {len(words)} words in {WORDS}, vectors of shape {table.shape}, "
            f"and {about.get('words')!r} words in {ABOUT}"
        )
    return words, table, settings
