"""attar info"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from attar.recipe import FittedOn


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
    from attar.persist import is_saved

    facts = _recipe(what) if what is not None and is_saved(what) else open_encoder(what).describe()
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    width = max(map(len, facts))
    for key, value in facts.items():
        click.echo(f"{key.ljust(width)}  {value}")


def _recipe(folder: str) -> dict[str, Any]:
    from attar.embedder import Embedder

    embedder = Embedder.load(folder)
    recipe = embedder.recipe
    fitted = recipe.fitted_on
    return {
        "recipe": recipe.id,
        "text": str(recipe),
        "encoder": recipe.encoder.get("model", recipe.encoder["type"]),
        "template": recipe.encoder.get("template"),
        "layers": {str(layer): weight for layer, weight in recipe.layers},
        "weights": recipe.weights.name,
        "shapers": [shaper.name for shaper in embedder.shapers_],
        "length of vectors": "1" if recipe.is_unit else "not 1: compare by cosine, or add the shaper unit",
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
