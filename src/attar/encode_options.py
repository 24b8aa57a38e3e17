"""The keywords of sentence-transformers' `encode`: taken with its meaning, or refused by name with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from attar.engine.tensors import to_tensor
from attar.errors import InputError
from attar.shapers import Unit
from attar.types import Floats


@dataclass(slots=True)
class EncodeOptions:
    """What a caller of `encode` wants beyond the texts; the names are sentence-transformers'."""

    batch_size: int | None = 32  # taken, and of no effect: batches are made by the number of tokens
    show_progress_bar: bool | None = None
    normalize_embeddings: bool = False
    convert_to_numpy: bool = True
    convert_to_tensor: bool = False
    truncate_dim: int | None = None
    prompt: str | None = None
    prompt_name: str | None = None
    device: str | None = None
    output_value: str = "sentence_embedding"
    precision: str | None = "float32"  # None, as its evaluators say, is the same
    pool: object = None
    chunk_size: int | None = None

    def __post_init__(self) -> None:
        refused = (
            (self.prompt_name is not None, "prompt_name", "give the words themselves: prompt=..., or a template"),
            (self.output_value != "sentence_embedding", "output_value", "encoder_.token_vectors gives tokens' vectors"),
            (
                self.precision not in ("float32", None),
                "precision",
                "vectors are float32; quantise them afterwards, as sentence_transformers.quantize_embeddings does",
            ),
            (self.pool is not None, "pool", "one process uses all cores; for several machines see `attar corpus`"),
            (self.chunk_size is not None, "chunk_size", "there is no pool of processes that would get chunks"),
            (not _is_batch_size(self.batch_size), "batch_size", "give 1 or more"),
            (self.truncate_dim is not None and self.truncate_dim < 1, "truncate_dim", "give 1 or more dims"),
        )
        for wrong, name, reason in refused:
            if wrong:
                raise InputError(f"encode: {name}={getattr(self, name)!r} is not supported: {reason}")

    def prompted(self, texts: list[str]) -> list[str]:
        """The texts, each behind the prompt."""
        return texts if not self.prompt else [self.prompt + text for text in texts]

    def finished(self, vectors: Floats) -> Any:
        """Cut, then normalised, then a tensor or a list of N tensors, as wanted. Shape: (N, D) to (N, D')"""
        if self.truncate_dim is not None:
            check_dims(self.truncate_dim, vectors.shape[1])
            vectors = np.ascontiguousarray(vectors[:, : self.truncate_dim])
        if self.normalize_embeddings:
            vectors = Unit().transform(vectors)
        if self.convert_to_tensor:
            return to_tensor(vectors)
        return vectors if self.convert_to_numpy else list(to_tensor(vectors))


def _is_batch_size(value: object) -> bool:
    """Numbers, also numpy's; None, where a caller leaves it to the model."""
    return value is None or (isinstance(value, (int, float, np.integer, np.floating)) and bool(value >= 1))


def check_dims(wanted: int, there: int) -> None:
    """Refuses more dims than there are."""
    if wanted > there:
        raise InputError(f"{wanted} dims were asked for; the vectors have {there}")
