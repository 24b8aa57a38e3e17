"""Which recipe suits a model: one that was tuned for sentences is best left as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from attar.encoders.transformer import Transformer
from attar.types import Encoder

Job = Literal["similarity", "clustering"]


@dataclass(frozen=True)
class Suited:
    """A named recipe, the shape that stands in for its own (None: its own), and why."""

    recipe: str
    shape: str | None
    because: str


def suited(encoder: Encoder, job: Job) -> Suited:
    """What to take for a job where the user has named no recipe."""
    if is_tuned(encoder):
        return Suited("plain", "unit", "the model was tuned for sentences, so its plain mean is taken")
    if not encoder.contextual:
        return Suited("plain", "unit", "a static model's plain mean is taken")
    return Suited(job, None, "nothing says that the model was tuned for sentences")


def is_tuned(encoder: Encoder) -> bool:
    """Whether something says that the model was tuned for sentences: sentence-transformers' files beside it."""
    return isinstance(encoder, Transformer) and encoder.checkpoint.is_tuned_for_sentences
