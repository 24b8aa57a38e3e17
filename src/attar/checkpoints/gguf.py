"""GgufCheckpoint: a model in one GGUF file, as llama.cpp and what is built on it keep them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tokenizers

from attar.checkpoints.gguf_file import MAGIC, GgufFile
from attar.checkpoints.gguf_names import DIALECTS, is_known, plain_name, settings_of
from attar.checkpoints.gguf_tokenizer import read_tokenizer
from attar.checkpoints.sentence_modules import Tuned
from attar.errors import ModelError
from attar.io.foreign import reading
from attar.io.quantized import StoredRows

ENDING = ".gguf"
_VISION = ("clip", "mllama", "qwen2vl", "qwen3vl", "gemma3n")
_TABLE, _DIVISORS = "token_embd.weight", "rope_freqs.weight"


def is_gguf(name: str) -> bool:
    """Whether a name is that of a GGUF file: by its ending, or else by its first bytes (Ollama keeps such)."""
    if name.lower().endswith(ENDING):
        return True
    try:
        path = Path(name).expanduser()
        if not path.is_file():
            return False
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, RuntimeError, ValueError):  # too long for a path, not readable, or the home of no one
        return False


class GgufCheckpoint:
    """Settings, arrays and tokenizer of one file.

    Parameters
    ----------
    name : str
        What the user called it.
    path : Path
        The file.

    Raises
    ------
    ModelError
        On first use, for a file that is damaged or holds something else than a causal language model that is known.
    """

    revision = None
    weights_format = "gguf"
    token_limit = None
    is_tuned_for_sentences = False
    tuned = Tuned()

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.local = name, path

    def __getstate__(self) -> dict[str, Any]:
        """Without the mapped file: another process maps it anew."""
        return {"name": self.name, "local": self.local}

    @property
    def folder(self) -> Path:
        """Where the file is."""
        return self.local.parent

    @property
    def weights_folder(self) -> Path:
        return self.folder

    @property
    def location(self) -> str:
        return str(self.local)

    @cached_property
    def file(self) -> GgufFile:
        """The opened file; refuses what is not a model that can be run."""
        with reading(self.local, ModelError):
            file = GgufFile(self.local)
            _check_kind(file)
        return file

    def check(self) -> None:
        """Refuse a file that should not be loaded."""
        assert self.file

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """What config.json would hold."""
        file = self.file
        with reading(self.local, ModelError):
            settings = settings_of(file.metadata, file.entries[_TABLE].shape[0])
        layers = settings.get("num_hidden_layers", settings.get("n_layer"))
        if not isinstance(layers, int) or not 0 < layers <= len(file.entries):
            raise ModelError(
                f"{self.local} is damaged: it claims {layers} layers, and holds {len(file.entries)} arrays"
            )
        if _DIVISORS in file.entries:
            settings["rope_divisors"] = file.array(_DIVISORS)
        return settings

    def arrays(self) -> dict[str, npt.NDArray[Any] | StoredRows]:
        """The weights by the names that safetensors files have for them, as they lie in the file."""
        architecture = self.file.metadata["general.architecture"]
        wanted = [name for name in self.file.entries if name not in (_DIVISORS, "output.weight")]
        odd = next((name for name in wanted if not is_known(name, architecture)), None)
        if odd is not None:
            raise ModelError(
                f"{self.local} holds the array {odd!r}, which is not known in a {architecture} model; give the model "
                "as safetensors, for transformers to run"
            )
        return {plain_name(name, architecture): self.file.array(name) for name in wanted}

    def tokenizer(self) -> tuple[tokenizers.Tokenizer, str | None]:
        """A tokenizer of its own for each caller; such models have no mask token."""
        with reading(self.local, ModelError):
            return read_tokenizer(self.file.metadata, self.local), None

    @cached_property
    def sha256(self) -> str:
        """A hash of the file."""
        with open(self.local, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @property
    def licence(self) -> str | None:
        found = self.file.metadata.get("general.license")
        return found if isinstance(found, str) else None

    @property
    def n_parameters(self) -> int:
        """How many numbers its arrays hold."""
        return sum(int(np.prod(entry.shape, dtype=object)) for entry in self.file.entries.values())

    @property
    def quantisation(self) -> str:
        """The types of its matrices, the most frequent first."""
        kinds = [entry.type_name for entry in self.file.entries.values() if len(entry.shape) == 2]
        return ", ".join(sorted(set(kinds), key=lambda kind: (-kinds.count(kind), kind)))


def _check_kind(file: GgufFile) -> None:
    architecture, kind = file.metadata.get("general.architecture"), file.metadata.get("general.type", "model")
    if kind == "adapter" or any(name.endswith(".lora_a") for name in file.entries):
        raise ModelError(f"{file.path} holds a LoRA adapter, not a model; merge it into its model and give that")
    if kind == "mmproj" or architecture in _VISION or any(name.startswith("v.blk.") for name in file.entries):
        raise ModelError(
            f"{file.path} holds a model of the architecture {architecture!r} that reads images; give the file of a "
            "language model"
        )
    if architecture not in DIALECTS:
        raise ModelError(
            f"{file.path} holds a model of the architecture {architecture!r}, which is not read; read are "
            f"{', '.join(DIALECTS)}"
        )
    experts = file.metadata.get(f"{architecture}.expert_count", 0)
    if experts:
        raise ModelError(f"{file.path} holds a mixture of {experts} experts, which is not read; give a dense model")
    if _TABLE not in file.entries or len(file.entries[_TABLE].shape) != 2:
        raise ModelError(f"{file.path} is damaged: it holds no token table {_TABLE!r}")
