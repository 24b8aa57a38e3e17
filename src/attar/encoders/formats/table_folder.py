"""A Table as a folder: attar_table.json, table.safetensors and tokenizer.json; and the layouts of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attar._version import __version__
from attar.encoders.formats import model2vec, wordllama
from attar.encoders.formats.table_parts import TableParts, read_json_object, read_tokenizer
from attar.errors import ModelError
from attar.io.arrays import map_arrays, take, write_arrays
from attar.io.atomic import new_folder

if TYPE_CHECKING:
    from attar.encoders.table import Table

FORMAT = 1
ABOUT, ARRAYS, TOKENIZER = "attar_table.json", "table.safetensors", "tokenizer.json"


def write_table(table: Table, folder: Path, *, overwrite: bool = False) -> None:
    arrays: dict[str, Any] = {f"layer.{layer}": rows for layer, rows in table.by_layer.items()}
    extras = {"weights": table.weights, "counts": table.counts}
    arrays |= {name: values for name, values in extras.items() if values is not None}
    about = {
        "format": FORMAT,
        "attar": __version__,
        "layers": list(table.layers),
        "normalize": table.normalize,
        "skip_unknown": table.skip_unknown,
        "made": table.made,
    }
    with new_folder(folder, ABOUT, overwrite=overwrite) as aside:
        write_arrays(aside / ARRAYS, arrays)
        table.tokenizer.backend.save(str(aside / TOKENIZER), pretty=False)
        (aside / ABOUT).write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_table(folder: Path) -> TableParts:
    """Whatever kind of table the folder holds."""
    if (folder / ABOUT).is_file():
        return _read_own(folder)
    if model2vec.is_here(folder):
        return model2vec.read(folder)
    if wordllama.is_here(folder):
        return wordllama.read(folder)
    if not folder.is_dir():
        raise ModelError(f"no table at {str(folder)!r}: there is no such folder")
    raise ModelError(
        f"{str(folder)!r} is not a table: it has no {ABOUT}, and is not laid out as model2vec, sentence-transformers' "
        "StaticEmbedding or wordllama do"
    )


def _read_own(folder: Path) -> TableParts:
    about = read_json_object(folder / ABOUT)
    if about.get("format") != FORMAT:
        raise ModelError(
            f"{folder / ABOUT} is of format {about.get('format')!r}, this version reads {FORMAT}: "
            "it was written by another version or altered"
        )
    layers, made = about.get("layers"), about.get("made")
    flags = {name: about.get(name) for name in ("normalize", "skip_unknown")}
    if not isinstance(layers, list) or not layers or not all(type(layer) is int for layer in layers):
        raise ModelError(f"{folder / ABOUT} is damaged: its layers are {layers!r}; expected a list of numbers")
    if not isinstance(made, dict) or not all(isinstance(flag, bool) for flag in flags.values()):
        raise ModelError(f"{folder / ABOUT} is damaged: made {made!r}, {flags}")
    path = folder / ARRAYS
    arrays = map_arrays(path)
    vectors = {layer: take(arrays, f"layer.{layer}", path) for layer in layers}
    unknown = set(arrays) - {f"layer.{layer}" for layer in layers} - {"weights", "counts"}
    if unknown:
        raise ModelError(f"{path} holds arrays that {ABOUT} does not name: {sorted(unknown)[:3]}")
    return TableParts(
        vectors,
        read_tokenizer(folder / TOKENIZER),
        arrays.get("weights"),
        arrays.get("counts"),
        bool(flags["normalize"]),
        bool(flags["skip_unknown"]),
        made,
    )
