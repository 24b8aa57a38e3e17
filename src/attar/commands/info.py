"""attar info"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attar.errors import InputError
from attar.io.plural import number_of

if TYPE_CHECKING:
    from attar.recipe import FittedOn
    from attar.types import Encoder


@click.command(
    epilog="""\b
Examples:
  attar info                      the embedded default model
  attar info ./bert-base-uncased
  attar info my-recipe --json
  attar info my-index
"""
)
@click.argument("what", metavar="[FOLDER|MODEL]", required=False)
@click.option("--model", metavar="MODEL", help="The same as the argument, as other commands spell it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def info(what: str | None, model: str | None, as_json: bool) -> None:
    """Describe a model (layers, widths, limits), a static table, or a saved recipe or an index, checked whole."""
    from attar.encoders.opening import open_encoder
    from attar.jobs.index_files import ABOUT
    from attar.persist import is_saved

    if what is not None and model is not None:
        raise InputError(f"{what!r} and --model {model!r} can't both be described; name one of them")
    what = what if model is None else model
    if what is not None and (Path(what).expanduser() / ABOUT).is_file():
        facts = _index(Path(what).expanduser())
    elif what is not None and is_saved(what):
        facts = _recipe(what)
    else:
        facts = _model(open_encoder(what))
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    width = max(map(len, facts))
    for key, value in facts.items():
        click.echo(f"{key.ljust(width)}  {_plainly(value)}")


def _plainly(value: Any) -> str:
    """A fact as words: what Python calls None, True or a list is said otherwise."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_plainly(one)}" for key, one in value.items()) or "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_plainly, value)) or "none"
    return str(value)


def _model(encoder: Encoder) -> dict[str, Any]:
    facts = encoder.describe()
    tuned = encoder.tuned_for_sentences
    why = "a library for sentence vectors saved it, as its files say" if tuned else "nothing in its files says so"
    facts["tuned for sentences"] = f"{'yes' if tuned else 'no'}: {why}"
    own = "its plain mean" if encoder.tuned_weights == "mean" else f"its {encoder.tuned_weights} token alone"
    facts["named recipes stand for"] = own if tuned else "what `attar recipes` says"
    if encoder.tuned_beyond:
        facts["left out"] = f"{' and '.join(encoder.tuned_beyond)}, with which it was tuned"
    facts["length of vectors"] = "not 1, unless --shape ends in unit"
    return facts


def _index(folder: Path) -> dict[str, Any]:
    from attar.jobs.graph_file import GraphFile, digest
    from attar.jobs.index import Index

    opened = Index.open(folder)
    graph = GraphFile.read(opened.about.approximate)
    if graph is not None and digest(folder / graph.file) != graph.sha256:
        raise InputError(f"the graph {folder / graph.file} is damaged: build the index again")
    return {
        "index of": number_of(len(opened), "text"),
        "dims": opened.about.dims,
        "parts": len(opened.about.parts),
        "zero vectors": opened.about.zeros,
        "length of vectors": "1",
        "search": "exact" if graph is None else f"by a graph of {number_of(graph.rows, 'text')}",
        "recipe": str(opened.embedder.recipe),
        "fitted on": opened.about.fitted_on,
    }


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
