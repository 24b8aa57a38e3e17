"""A static recipe as a folder in model2vec's layout, which sentence-transformers reads too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import save_file

from attar.errors import RecipeError
from attar.exports import CARD
from attar.exports.card import write_card
from attar.exports.fitted_parts import FittedParts
from attar.exports.framed_tokenizer import backend_of
from attar.exports.static_rows import static_rows, text_weights
from attar.io.atomic import new_folder
from attar.shapers import Unit
from attar.shapers.affine import Affine
from attar.shapers.affine_shaper import affine_names
from attar.tokens.special_as_text import without_special_tokens
from attar.types import Doubles, Floats

if TYPE_CHECKING:
    from attar.embedder import Embedder

USAGE = """from model2vec import StaticModel

vectors = StaticModel.from_pretrained("{folder}").encode(texts)"""
# Beside a token that counts, one that does not can't be felt; alone, it still has its direction.
FAINT = 1e-9
_UNKNOWN_LEFT_OUT = (
    "sentence-transformers counts the unknown token as a zero vector, Attar and model2vec leave it out: vectors of "
    "texts with unknown tokens are shorter there"
)
_UNKNOWN_COUNTED = (
    "model2vec leaves the unknown token out, Attar and sentence-transformers count it: vectors of texts with unknown "
    "tokens differ there"
)
_EMPTY = "an empty text gets the zero vector; in Attar it gets what the shapers make of one"


def export(embedder: Embedder, folder: Path, *, overwrite: bool = False) -> list[str]:
    """Write the folder, whole or not at all; returns what its users should know."""
    source = FittedParts.of(embedder)
    affine, unit = _steps(source)
    rows = static_rows(source)
    weights = text_weights(source)
    uneven = len(np.unique(weights)) > 1
    if uneven and not unit:
        raise RecipeError(
            f"{type(source.weights).__name__} weights without unit norm can't be exported to model2vec, which divides "
            "by the number of tokens and not by the sum of weights: the vectors would have other lengths; exportable "
            "instead: the same recipe with unit as its last shaper, mean weights, or this one --to onnx"
        )
    table: Doubles = rows if affine is None else np.asarray(affine.apply(rows), dtype=np.float64)
    if uneven:
        greatest = float(weights.max()) or 1.0
        table = table * np.where(weights > 0, weights / greatest, FAINT)[:, None]
    notes = _settle_unknown(source, table, unit)
    if affine is not None and affine.offset.any():
        notes.append(_EMPTY)
    with new_folder(folder, CARD, overwrite=overwrite) as aside:
        _write(aside, source, table.astype(np.float32), unit)
        write_card(aside, source, "model2vec", USAGE.format(folder=folder.name), notes)
    return notes


def _steps(source: FittedParts) -> tuple[Affine | None, bool]:
    """The affine map that folds into the table, and whether vectors have unit length in the end."""
    steps = list(source.steps)
    affine = steps.pop(0) if steps and isinstance(steps[0], Affine) else None
    unit = bool(steps) and all(isinstance(step, Unit) for step in steps)
    if steps and not unit:
        names = ", ".join(part.name for part in source.recipe.shapers)
        raise RecipeError(
            f"the shapers {names} do not fold into a table; exportable to model2vec: {', '.join(affine_names())} "
            "in any order, then unit; others --to onnx"
        )
    assert affine is None or isinstance(affine, Affine)
    return affine, unit


def _settle_unknown(source: FittedParts, table: Doubles, unit: bool) -> list[str]:
    """model2vec leaves the unknown token out and sentence-transformers does not; says where that shows."""
    unknown = source.encoder.vocabulary.unknown_id
    if unknown is None:
        return []
    if getattr(source.encoder, "skip_unknown", False):
        table[unknown] = 0
        return [] if unit else [_UNKNOWN_LEFT_OUT]
    return [] if unit and not table[unknown].any() else [_UNKNOWN_COUNTED]


def _write(folder: Path, source: FittedParts, table: Floats, unit: bool) -> None:
    vocabulary = source.encoder.vocabulary
    tokenizer = without_special_tokens(backend_of(source.encoder), vocabulary.special_ids - {vocabulary.unknown_id})
    arrays: dict[str, Any] = {"embeddings": np.ascontiguousarray(table)}
    if sorted(tokenizer.get_vocab().values()) != list(range(len(table))):  # model2vec counts tokens otherwise
        arrays["mapping"] = np.arange(len(table), dtype=np.int64)
    save_file(arrays, str(folder / "model.safetensors"))
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    config = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "normalize": unit,
        "max_length": None,
        "embedding_dtype": "float32",
    }
    _write_json(folder / "config.json", config)
    modules = [{"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"}]
    if unit:
        modules.append({"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"})
        (folder / "1_Normalize").mkdir()
        _write_json(folder / "1_Normalize" / "config.json", {})
    _write_json(folder / "modules.json", modules)


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
