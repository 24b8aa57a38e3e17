"""A checkpoint from what a user names."""

from __future__ import annotations

from pathlib import Path

from attar.checkpoints import default
from attar.checkpoints.folder import FolderCheckpoint, is_folder
from attar.checkpoints.gguf import GgufCheckpoint, is_gguf
from attar.errors import unknown_name

WEIGHT_FORMATS = ("safetensors", "pickle")


def open_checkpoint(
    name_or_folder: str | Path | None = None, revision: str | None = None, weights_format: str = "safetensors"
) -> FolderCheckpoint | GgufCheckpoint:
    """A checkpoint by its name. Nothing is read or downloaded before it is asked for.

    Parameters
    ----------
    name_or_folder : str, Path or None
        A model folder, a GGUF file, the name of a model on a hub, or None (or "default") for the embedded model.
    revision : str or None
        The branch, tag or commit of a hub model.
    weights_format : str
        "safetensors", or "pickle" for weights that only exist as a pickle, which can run code.

    Returns
    -------
    FolderCheckpoint or GgufCheckpoint

    Raises
    ------
    InputError
        For an unknown `weights_format`.
    ModelError
        For a path that leads nowhere: it is never looked up on a hub.
    MissingExtra
        For the default model where its package is not installed.
    """
    if weights_format not in WEIGHT_FORMATS:
        raise unknown_name("weights_format", weights_format, WEIGHT_FORMATS)
    name = default.NAME if name_or_folder is None else str(name_or_folder)
    if name == default.NAME:
        return FolderCheckpoint(name, default.folder(), revision, weights_format)
    if is_gguf(name):
        return GgufCheckpoint(name, Path(name).expanduser())
    local = Path(name).expanduser() if is_folder(name) else None
    return FolderCheckpoint(name, local, revision, weights_format)
