"""FolderCheckpoint: a model folder, on this machine or fetched from a hub."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy.typing as npt
import tokenizers

from attar.checkpoints import checks, hub
from attar.checkpoints.bombs import check_counts
from attar.checkpoints.sentence_modules import Tuned, tuned
from attar.checkpoints.tokenizer_files import any_tokenizer
from attar.errors import ModelError
from attar.io.arrays import array_shapes, count_numbers, map_arrays, matrix_types

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")
_LICENCE = re.compile(r"^license:\s*([\w.\-]+)\s*$", re.MULTILINE)
_SENTENCE_FILES = ("modules.json", "config_sentence_transformers.json")


@dataclass(frozen=True, eq=False)
class FolderCheckpoint:
    """What a model is made of; each thing is read when it is first asked for, and once.

    Parameters
    ----------
    name : str
        What the user called it: a folder, a hub name or "default".
    local : Path or None
        Its folder on this machine; None for a model on a hub.
    revision : str or None
        The branch, tag or commit of a hub model.
    weights_format : str
        "safetensors" or "pickle".
    """

    name: str
    local: Path | None
    revision: str | None = None
    weights_format: str = "safetensors"

    @cached_property
    def folder(self) -> Path:
        """Where its small files (settings, tokenizer) are; a hub model's are fetched."""
        return self.local if self.local is not None else hub.hub_folder(self.name, self.revision)

    @cached_property
    def weights_folder(self) -> Path:
        """Where its weights are; a hub model's are fetched."""
        return self.local if self.local is not None else hub.hub_folder(self.name, self.revision, weights=True)

    @property
    def location(self) -> str:
        """The folder, or the name that a hub knows: what other libraries load it by."""
        return self.name if self.local is None else str(self.local)

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """What config.json holds; a ModelError where it is missing or not a JSON object."""
        return checks.read_settings(self.folder)

    def check(self) -> None:
        """Refuse a folder that should not be loaded: see `checks.check_folder`."""
        checks.check_folder(self.weights_folder, self.weights_format)
        shapes = [shape for path in self.weights_folder.glob("*.safetensors") for shape in array_shapes(path)]
        if shapes:  # a pickle tells nothing before it is run
            check_counts(self.settings, len(shapes), sum(map(prod, shapes)), str(self.weights_folder))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The weights by name, mapped as they lie in the files; `io.arrays.as_float32` makes numbers of each.

        Raises
        ------
        ModelError
            For a file that is damaged or holds a type that is not supported.
        """
        folder = self.weights_folder
        single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
        if single.is_file():
            return map_arrays(single)
        weight_map = checks.read_json(index)["weight_map"] if index.is_file() else {}
        found: dict[str, npt.NDArray[Any]] = {}
        for file in sorted(set(weight_map.values())):
            found |= map_arrays(folder / file)
        return found

    def tokenizer(self) -> tuple[tokenizers.Tokenizer, str | None]:
        """A tokenizer of its own for each caller, and the name of its mask token."""
        checks.read_settings(self.folder)  # a folder that is no model's says so, rather than that it has no tokenizer
        return any_tokenizer(self.folder)

    @cached_property
    def sha256(self) -> str:
        """A hash of the weights: tells whether a recipe meets the model it was fitted with."""
        self.check()
        folder, digest = self.weights_folder, hashlib.sha256()
        for path in sorted(folder.glob("*.safetensors")) or sorted(folder.glob("*.bin")):
            with open(path, "rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()

    @cached_property
    def token_limit(self) -> int | None:
        """Where sentence-transformers cuts texts for this model, so that vectors are the same there and here."""
        path = self.folder / "sentence_bert_config.json"
        limit = checks.read_json(path).get("max_seq_length") if path.is_file() else None
        return limit if isinstance(limit, int) and limit > 0 else None

    @cached_property
    def licence(self) -> str | None:
        """What its card (README.md) says, if there is one."""
        path = self.folder / "README.md"
        if not path.is_file():
            return None
        card = path.read_text(encoding="utf-8", errors="replace")
        found = _LICENCE.search(card.split("---")[1] if card.startswith("---") else "")
        return found.group(1) if found else None

    @cached_property
    def n_parameters(self) -> int | None:
        """Counted from the headers of safetensors that are on this machine; None where there are none."""
        files = sorted(self.folder.glob("*.safetensors"))
        return sum(map(count_numbers, files)) if files else None

    @cached_property
    def quantisation(self) -> str | None:
        """The types of its matrices, the most frequent first; None where they are not safetensors."""
        kinds = [kind for path in sorted(self.weights_folder.glob("*.safetensors")) for kind in matrix_types(path)]
        return ", ".join(sorted(set(kinds), key=lambda kind: (-kinds.count(kind), kind))) or None

    @cached_property
    def is_tuned_for_sentences(self) -> bool:
        """Whether sentence-transformers saved it, so that it was surely trained for sentence vectors."""
        return any((self.folder / name).is_file() for name in _SENTENCE_FILES)

    @cached_property
    def tuned(self) -> Tuned:
        """What sentence-transformers says that it gives."""
        return tuned(self.folder)


def is_folder(name: str) -> bool:
    """Whether the name is a local folder; a path that leads nowhere is an error, never a hub look-up."""
    try:
        path = Path(name).expanduser()
        if name and path.is_dir():
            return True
        looks_local = not _HUB_NAME.fullmatch(name) or path.exists() or (len(path.parts) > 1 and path.parent.is_dir())
    except (OSError, RuntimeError):  # too long for a path, or the home of no one
        looks_local = True
    if looks_local:
        raise ModelError(
            f"no model folder at {_shown(name)}; give a folder with config.json, or the name of a model on a hub"
        )
    return False


def _shown(name: str) -> str:
    return repr(name) if len(name) <= 120 else repr(name[:117] + "...")
