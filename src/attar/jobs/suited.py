"""Which recipe suits a model: one that was tuned for sentences is best left as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from attar.encoders.transformer import Transformer
from attar.types import Encoder

Job = Literal["similarity", "clustering"]
_MARKS = ("modules.json", "config_sentence_transformers.json")  # what sentence-transformers puts beside a model


@dataclass(frozen=True)
class Suited:
    """A named recipe, the shape that stands in for its own (None: its own), and why."""

    recipe: str
    shape: str | None
    because: str


def suited(encoder: Encoder, job: Job) -> Suited:
    """What to take for a job where the user has named no recipe."""
    mark = tuned_mark(encoder)
    if mark is not None:
        return Suited("plain", "unit", f"the model was tuned for sentences ({mark}), so its plain mean is taken")
    if not isinstance(encoder, Transformer):
        return Suited("plain", "unit", "a static model's plain mean is taken")
    return Suited(job, None, "nothing says that the model was tuned for sentences")


def tuned_mark(encoder: Encoder) -> str | None:
    """The file that tells that the model was tuned for sentences; None where nothing says so."""
    if not isinstance(encoder, Transformer):
        return None
    return next((mark for mark in _MARKS if (encoder.folder / mark).is_file()), None)
