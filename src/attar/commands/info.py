"""attar info"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from attar.encoders.transformer import Transformer
    from attar.recipe import FittedOn
    from attar.types import Encoder


@click.command(
    epilog="""\b
Examples:
  attar info                      the embedded default model
  attar info ./bert-base-uncased
  attar info my-recipe --json
"""
)
@click.argument("what", metavar="[FOLDER|MODEL]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def info(what: str | None, as_json: bool) -> None:
    """Describe a model (layers, widths, limits), a static table, or a saved recipe, which is checked whole."""
    from attar.encoders.opening import open_encoder
    from attar.encoders.transformer import Transformer

    if what and (Path(what) / "recipe.json").is_file():
        facts = _recipe(what)
    else:
        encoder = open_encoder(what)
        facts = _model(encoder) if isinstance(encoder, Transformer) else _static(encoder)
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    width = max(map(len, facts))
    for key, value in facts.items():
        click.echo(f"{key.ljust(width)}  {value}")


def _model(model: Transformer) -> dict[str, Any]:
    from attar.encoders import default
    from attar.encoders.transformer import Transformer

    tokens = model.tokenize([""])
    vocabulary = model.vocabulary
    facts = {
        "model": model.name,
        "folder": str(model.folder),
        "layers": f"-1 (token table), 0 (input), 1 to {model.n_layers}",
        "width": model.width(model.n_layers),
        "width of layer -1": model.width(-1),
        "vocabulary": len(vocabulary),
        "mask token": vocabulary.pieces[vocabulary.mask_id] if vocabulary.mask_id is not None else None,
        "special tokens around a text": [vocabulary.pieces[i] for i in tokens.ids],
        "tokens a text at most": model.limit,
        "sequences packed": model.packs,
        "precision auto": Transformer(model.name, precision="auto").choice.why,
        "sha256": model.fingerprint,
    }
    if model.name == default.NAME:
        facts["official weights"] = default.verify() == default.SHA256
    return facts


def _static(encoder: Encoder) -> dict[str, Any]:
    spec = encoder.spec()
    layers = getattr(encoder, "layers", (encoder.n_layers,))
    return {
        "encoder": spec["type"],
        "layers": ", ".join(map(str, layers)),
        "width": encoder.width(encoder.n_layers),
        "vocabulary": len(encoder.vocabulary),
        "made": getattr(encoder, "made", None),
    }


def _recipe(folder: str) -> dict[str, Any]:
    from attar.embedder import Embedder

    embedder = Embedder.load(folder)
    recipe = embedder.recipe
    fitted = recipe.fitted_on
    return {
        "recipe": recipe.id,
        "encoder": recipe.encoder.get("model", recipe.encoder["type"]),
        "template": recipe.encoder.get("template"),
        "layers": {str(layer): weight for layer, weight in recipe.layers},
        "weights": recipe.weights.name,
        "shapers": [shaper.name for shaper in embedder.shapers],
        "fitted on": fitted.target.texts if fitted and fitted.target else None,
        "background": fitted.background.texts if fitted and fitted.background else None,
        "quantiles estimated": _estimates(fitted),
        "sound": True,
    }


def _estimates(fitted: FittedOn | None) -> dict[str, Any] | None:
    """How far quantiles may be off, where they come from fewer vectors than there are texts."""
    corpora = {"target": fitted.target, "background": fitted.background} if fitted else {}
    found = {name: asdict(seen.sampled) for name, seen in corpora.items() if seen and seen.sampled}
    return found or None
