"""Tables laid out by model2vec, or by sentence-transformers for its StaticEmbedding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attar.encoders.formats.table_parts import TableParts, read_json_object, read_tokenizer
from attar.errors import ModelError
from attar.io.arrays import array_names, as_numpy, map_arrays

_PLACES = (".", "0_StaticEmbedding")  # where the arrays and the tokenizer may be
_NAMES = ("embeddings", "embedding.weight")  # what model2vec and sentence-transformers call the table


def is_here(folder: Path) -> bool:
    return _place(folder) is not None


def read(folder: Path) -> TableParts:
    """model2vec's vectors times its weights, averaged over known tokens, scaled to unit length where it says so."""
    place = _place(folder)
    if place is None:
        raise ModelError(f"{str(folder)!r} holds no model2vec table")
    path = place / "model.safetensors"
    arrays = {name: as_numpy(array) for name, array in map_arrays(path).items()}
    vectors = next(arrays[name] for name in _NAMES if name in arrays)
    if vectors.ndim != 2:
        raise ModelError(f"the table in {path} has shape {vectors.shape}; expected (V, D)")
    if "mapping" in arrays:  # several tokens share a row
        vectors = vectors[_checked(arrays["mapping"], len(vectors), path)]
    config = read_json_object(folder / "config.json") if (folder / "config.json").is_file() else {}
    by_model2vec = "embeddings" in arrays
    return TableParts(
        vectors={1: vectors},
        tokenizer=read_tokenizer(place / "tokenizer.json"),
        weights=arrays.get("weights"),
        normalize=bool(config.get("normalize", False)) or _has_normalize(folder),
        skip_unknown=by_model2vec,
        made={"layout": "model2vec" if by_model2vec else "sentence-transformers", "folder": folder.name},
    )


def _place(folder: Path) -> Path | None:
    for place in (folder / name for name in _PLACES):
        path = place / "model.safetensors"
        if path.is_file() and (place / "tokenizer.json").is_file() and array_names(path) & set(_NAMES):
            return place
    return None


def _has_normalize(folder: Path) -> bool:
    """Whether sentence-transformers would scale the vectors to unit length."""
    path = folder / "modules.json"
    return path.is_file() and ".Normalize" in path.read_text(encoding="utf-8")


def _checked(mapping: npt.NDArray[Any], n_rows: int, path: Path) -> npt.NDArray[np.int64]:
    rows = mapping.astype(np.int64)
    if rows.ndim != 1 or not len(rows) or rows.min() < 0 or rows.max() >= n_rows:
        raise ModelError(f"the mapping in {path} points outside its table of {n_rows} rows")
    return rows
