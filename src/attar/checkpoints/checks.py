"""Everything that can be said about a model folder before any of it is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attar.errors import ModelError
from attar.io.foreign import read_json_object

_PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")


def check_folder(folder: Path, weights_format: str) -> None:
    """Refuse what is no model folder, an adapter, files that name others outside, and unasked-for pickles.

    Raises
    ------
    ModelError
        With what is wrong and what to do.
    """
    config = read_settings(folder)
    if (folder / "adapter_config.json").exists():
        raise ModelError(f"{str(folder)!r} holds an adapter; merge it into its model and save that as safetensors")
    _check_inside(folder / "config.json", config.get("transformers_weights", "config.json"))
    for index in folder.glob("*.index.json"):
        weight_map = read_json(index).get("weight_map")
        if not isinstance(weight_map, dict):
            raise ModelError(f"{index} should name the file of each array under 'weight_map'; found {weight_map!r}")
        for name in weight_map.values():
            _check_inside(index, name)
    if weights_format == "safetensors" and not any(folder.glob("*.safetensors")):
        raise _no_weights(folder)


def read_settings(folder: Path) -> dict[str, Any]:
    """What config.json holds."""
    if not (folder / "config.json").is_file():
        inside = sorted(path.parent for path in folder.glob("*Transformer/config.json"))  # sentence-transformers, once
        hint = f"; its model is in {str(inside[0])!r}" if inside else ""
        raise ModelError(f"{str(folder)!r} is not a model folder: it has no config.json{hint}")
    settings = read_json(folder / "config.json")
    kinds = settings.get("architectures")
    if kinds is not None and not (isinstance(kinds, list) and all(isinstance(kind, str) for kind in kinds)):
        raise ModelError(f"{folder / 'config.json'}: architectures is {kinds!r}; expected a list of names")
    return settings


def read_json(path: Path) -> dict[str, Any]:
    """A file that must hold a JSON object."""
    return read_json_object(path, ModelError)


def _check_inside(path: Path, name: Any) -> None:
    """A file that another one names must lie beside it."""
    if not isinstance(name, str) or Path(name).name != name or not (path.parent / name).is_file():
        raise ModelError(f"{path} names {name!r}, which is not a file in the folder")


def _no_weights(folder: Path) -> ModelError:
    pickles = [name for name in _PICKLES if (folder / name).is_file()]
    if pickles:
        return ModelError(
            f"{str(folder)!r} has its weights only as a pickle ({pickles[0]}), which can run code when loaded; "
            "convert it to safetensors, or, if you trust its source, ask for it by name: "
            "Transformer(..., weights_format='pickle')"
        )
    return ModelError(f"{str(folder)!r} holds no weights: it has no *.safetensors file")
