"""The card of an exported folder: the recipe, what it was fitted on, the base model and its licence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attar._version import __version__
from attar.checkpoints import Checkpoint, default
from attar.encoders.cached import Cached
from attar.encoders.mix import Mix
from attar.encoders.transformer import Transformer
from attar.exports import CARD, SIGNATURE
from attar.exports.fitted_parts import FittedParts
from attar.recipe import Corpus, Recipe
from attar.types import Encoder

_TAGS = ("sentence-similarity", "feature-extraction", "attar")
DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"


def write_card(folder: Path, source: FittedParts, library: str, usage: str, notes: Sequence[str]) -> None:
    """README.md with the settings that hubs read."""
    licence, base = licence_of(source.encoder), base_name(source.recipe.encoder)
    head = [f"library_name: {library}", "pipeline_tag: sentence-similarity", "tags:", *(f"- {tag}" for tag in _TAGS)]
    if base is not None and "/" in base and not base.startswith("/"):
        head.append(f"base_model: {base}")
    if licence is not None:
        head.append(f"license: {licence}")
    said = licence or "not stated in its folder; look it up before you redistribute this folder"
    shapers = ", ".join(_part(part) for part in source.recipe.shapers) or "none"
    facts = [
        f"- Base model: {base or 'none (a static table)'}; its licence, which holds for this folder too: {said}.",
        f"- Layers: {_layers(source)}; weights: {_part(source.recipe.weights)}; shapers: {shapers}.",
        f"- Fitted on: {fitted_on(source.recipe)}. Nothing was trained.",
        f"- Vectors have {source.n_dims} dims.",
        *(f"- Note: {note}." for note in notes),
    ]
    recipe = json.dumps(source.recipe.to_json() | {"id": source.recipe.id}, indent=2, ensure_ascii=False)
    lines = ["---", *head, "---", "", "# Sentence vectors pressed out of a pretrained model", ""]
    lines += [f"{SIGNATURE} {__version__}; Attar is not needed to use it.", "", *facts, ""]
    lines += ["```python", usage, "```", "", "The recipe:", "", "```json", recipe, "```", ""]
    (folder / CARD).write_text("\n".join(lines), encoding="utf-8")


def base_name(spec: Any) -> str | None:
    """The model's hub name or the name of its folder."""
    if spec["type"] == "mix":
        return base_name(spec["a"]) or base_name(spec["b"])
    name = spec.get("model")
    if name is None:
        return None
    if name == default.NAME:
        return DEFAULT_MODEL
    return str(name) if not Path(name).is_absolute() else Path(name).name


def checkpoint_of(encoder: Encoder) -> Checkpoint | None:
    """Where the (first) transformer inside an encoder comes from."""
    if isinstance(encoder, Cached):
        return checkpoint_of(encoder.encoder)
    if isinstance(encoder, Mix):
        return checkpoint_of(encoder.a)
    return encoder.checkpoint if isinstance(encoder, Transformer) else None


def licence_of(encoder: Encoder) -> str | None:
    """What the card in the model's folder says, if there is one."""
    checkpoint = checkpoint_of(encoder)
    return None if checkpoint is None else checkpoint.licence


def fitted_on(recipe: Recipe) -> str:
    """Which texts, in words."""
    fitted = recipe.fitted_on
    corpora = [] if fitted is None else [("texts", fitted.target), ("background texts", fitted.background)]
    shown = [_corpus(corpus, name) for name, corpus in corpora if corpus is not None]
    return " and ".join(shown) or "nothing"


def _corpus(corpus: Corpus, name: str) -> str:
    return f"{corpus.texts:,} {name} (sha256 {corpus.sha256[:16]}...)"


def _layers(source: FittedParts) -> str:
    pairs = zip(source.layers, source.layer_weights, strict=True)
    return " + ".join(f"{weight:.4g} x layer {layer}" for layer, weight in pairs)


def _part(part: Any) -> str:
    params = {name: value for name, value in part.params.items() if value not in (None, "target")}
    return f"{part.name}({', '.join(f'{name}={value!r}' for name, value in params.items())})"
