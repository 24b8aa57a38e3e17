"""A fitted embedder as a folder: recipe.json, state.safetensors and a README. Loading checks all and runs nothing."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from attar._version import __version__
from attar.encoders.opening import encoder_of, open_encoder
from attar.encoders.wrappers import WRAPPERS
from attar.errors import InputError, ModelError, OutputError, RecipeError
from attar.io.atomic import new_folder
from attar.io.foreign import read_json_object, reading
from attar.layers import resolve_layers
from attar.recipe import FORMAT, NAMED, Recipe, canonical
from attar.recipe.text import MARK
from attar.types import Encoder, State
from attar.weights import Weighting

log = logging.getLogger("attar")

RECIPE, STATE, README, ENCODER = "recipe.json", "state.safetensors", "README.md", "encoder"
_ELSEWHERE = ("model", "revision", "weights_format", "precision")  # what a stand-in may have of its own


@dataclass(frozen=True)
class Loaded:
    """What a folder holds."""

    recipe: Recipe
    encoder: Encoder
    weights: Weighting
    shapers: list[Any]


def save(
    folder: Path,
    recipe: Recipe,
    encoder: Encoder,
    weights: Weighting,
    shapers: Sequence[Any],
    *,
    overwrite: bool = False,
) -> None:
    """Write the folder, whole or not at all."""
    for shaper in shapers:
        if not hasattr(shaper, "state"):
            raise RecipeError(
                f"{type(shaper).__name__} can't be saved without pickle; use the shapers of attar.shapers"
            )
    arrays = {f"weights/{k}": v for k, v in weights.state().items()}
    for i, shaper in enumerate(shapers):
        arrays |= {f"shapers/{i}/{k}": v for k, v in shaper.state().items()}
    with new_folder(folder, RECIPE, overwrite=overwrite) as aside:
        try:
            save_file({k: np.ascontiguousarray(v) for k, v in arrays.items()}, str(aside / STATE))
        except SafetensorError as error:  # its own type, for a full disk too
            raise OutputError(f"can't write {str(folder)!r}: {error}") from None
        encoder.save_arrays(aside / ENCODER)
        (aside / README).write_text(_readme(recipe), encoding="utf-8")
        content = recipe.to_json() | {
            "attar": __version__,
            "state_sha256": _sha256(aside / STATE),
            "model_sha256": encoder.fingerprint,
        }
        content["recipe_sha256"] = _content_sha256(content)
        (aside / RECIPE).write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def load(folder: Path, encoder: Encoder | None = None) -> Loaded:
    """Read the folder; `encoder` replaces the one the recipe names."""
    content = _read_checked(folder)
    recipe = Recipe.from_json(content)
    weights: Weighting = recipe.make_weights()
    shapers = recipe.make_shapers()
    arrays = _read_state(folder / STATE, content.get("state_sha256"))
    weights.set_state(_under(arrays, "weights/"))
    for i, shaper in enumerate(shapers):
        shaper.set_state(_under(arrays, f"shapers/{i}/"))
    if arrays:
        raise RecipeError(f"{folder / STATE} holds arrays that the recipe does not know: {sorted(arrays)[:3]}")
    if encoder is not None:
        _check_settings(encoder.spec(), recipe.encoder)
    try:
        encoder = encoder_of(recipe.encoder, folder / ENCODER) if encoder is None else encoder
        found = encoder.fingerprint
    except ModelError as error:
        raise ModelError(
            f"the model of the recipe {str(folder)!r} can't be read: {error}; if it has moved, say where it is now: "
            "--model FOLDER, or Embedder.load(recipe, encoder=Transformer(FOLDER))"
        ) from None
    expected = content.get("model_sha256")
    if expected is not None and found != expected:
        raise RecipeError(
            f"the model of {str(folder)!r} is not the one it was fitted with: the weights' sha256 is {found}, "
            f"expected {expected}; fit the recipe again with this model"
        )
    _check_fit(folder, recipe, encoder, shapers)
    return Loaded(recipe, encoder, weights, shapers)


def _check_fit(folder: Path, recipe: Recipe, encoder: Encoder, shapers: Sequence[Any]) -> None:
    """Refuses layers that the model does not have, and shapers made for vectors of another width."""
    try:
        layers, _ = resolve_layers(recipe.layer_choice, encoder)
    except InputError as error:
        raise RecipeError(f"the recipe {str(folder)!r} does not fit its model: {error}") from None
    width = encoder.width(layers[0])
    for shaper in shapers[:1]:  # those behind it may get fewer dims
        wanted = getattr(shaper, "n_features_in_", width)
        if wanted != width:
            raise RecipeError(
                f"the recipe {str(folder)!r} does not fit its model: {type(shaper).__name__} is for vectors of "
                f"{wanted} dims, the layers have {width}"
            )


def is_saved(source: str | Path) -> bool:
    """Whether the folder holds a saved recipe; the only test of it."""
    return (Path(source).expanduser() / RECIPE).is_file()


def is_recipe(source: str) -> bool:
    """Whether it is a saved recipe, a named one, or one as text; if not, it may be a model."""
    return is_saved(source) or MARK in source or source in NAMED


def find_recipe(source: str, model: str | None = None) -> Recipe | Path:
    """What a user names: the folder of a saved recipe, or the recipe that a name or a text form stands for.

    `model` is what it will be used with, by which a name can mean another recipe; None for the embedded default.

    Raises
    ------
    RecipeError
        If it is a path without a saved recipe.
    InputError
        If it is neither a folder, nor a name of `attar recipes`, nor a text form.
    """
    if is_saved(source):
        return Path(source).expanduser()
    if MARK not in source and ("/" in source or Path(source).expanduser().is_dir()):
        raise RecipeError(f"{source!r} is not a recipe folder: it has no {RECIPE}")
    if source.strip() not in NAMED:
        return Recipe.parse(source)
    found = Recipe.named_for(source.strip(), open_encoder(model))
    if found != Recipe.named(source.strip()):
        length = " at length 1" if found.is_unit else ""
        own = "plain mean" if found.weights == Recipe.named("plain").weights else f"{found.weights.name.lower()} token"
        log.info("the model was tuned for sentences, so the recipe %s is its %s%s", source, own, length)
    return found


def moved_encoder(folder: Path, model: str | None) -> Encoder | None:
    """The encoder of a recipe whose model now has this name or lies in this folder; the recipe's settings stay.

    None where no model is given: the recipe's own, wherever it says that it is.
    """
    if model is None:
        return None
    given, spec = open_encoder(model), Recipe.from_json(_read_checked(folder)).encoder
    wrapper = WRAPPERS.get(str(spec.get("type")))
    if wrapper is not None:
        return wrapper(_like(spec["encoder"], given, model), str(spec[wrapper.setting]))
    return _like(spec, given, model)


def _like(spec: Mapping[str, Any], given: Encoder, model: str) -> Encoder:
    """The encoder that the spec describes, with its model in another place."""
    if given.kind != spec.get("type") or "model" not in spec:
        return given  # has no settings; `load` tells whether it is the recipe's
    return encoder_of({**spec, "model": model, "revision": None, "weights_format": "safetensors"})


def _check_settings(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuses an encoder that reads texts otherwise than the recipe's: only its place may be another one."""
    for name, value in wanted.items():
        found = given.get(name)
        if isinstance(value, Mapping) and isinstance(found, Mapping):  # a side of a mix
            _check_settings(found, value)
        elif name not in _ELSEWHERE and found != value:
            raise RecipeError(
                f"the encoder is not the one that the recipe was fitted with: its {name} is {found!r}, the recipe's "
                f"{value!r}; give an encoder with the same settings"
            )


def _read_checked(folder: Path) -> dict[str, Any]:
    """recipe.json, if it is as it was written."""
    content = read_json(folder)
    if content.get("format") == FORMAT and content.get("recipe_sha256") != _content_sha256(content):
        raise RecipeError(
            f"{folder / RECIPE} is damaged or was altered: it does not match its own sha256; fit and save again, or, "
            "where the model has moved, load with encoder=Transformer('new folder')"
        )
    return content


def read_json(folder: Path) -> dict[str, Any]:
    """recipe.json as it stands, an object at least."""
    path = folder / RECIPE
    with reading(path, RecipeError):
        if not path.is_file():
            raise RecipeError(f"{str(folder)!r} is not a recipe folder: it has no {RECIPE}")
    return read_json_object(path, RecipeError)


def _read_state(path: Path, sha256: Any) -> dict[str, npt.NDArray[Any]]:
    if not path.is_file():
        raise RecipeError(f"the recipe is incomplete: {path} is missing")
    if _sha256(path) != sha256:
        raise RecipeError(f"{path} is damaged or was altered: its sha256 is not the one that {RECIPE} names")
    try:
        return dict(load_file(str(path)))
    except Exception as error:  # types that numpy does not have make it stumble in several ways
        raise RecipeError(f"{path} can't be read: {error}") from None


def _under(arrays: State, prefix: str) -> State:
    """Takes the arrays with this prefix out."""
    return {name.removeprefix(prefix): arrays.pop(name) for name in list(arrays) if name.startswith(prefix)}


def _content_sha256(content: dict[str, Any]) -> str:
    """Of all that recipe.json says but this hash itself."""
    said = {key: value for key, value in content.items() if key != "recipe_sha256"}
    return hashlib.sha256(canonical(said).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _readme(recipe: Recipe) -> str:
    fitted = recipe.fitted_on
    on = "nothing" if fitted is None or fitted.target is None else f"{fitted.target.texts:,} texts"
    if fitted is not None and fitted.background is not None:
        on += f" and a background corpus of {fitted.background.texts:,} texts"
    return (
        f"# Sentence vectors by Attar {__version__}\n\n"
        f"`{recipe}`\n\nModel, template, layers, weights, shapers. Fitted on: {on}.\n\n"
        "```python\nfrom attar import Embedder\n\nvectors = Embedder.load('this folder').encode(texts)\n```\n"
    )
