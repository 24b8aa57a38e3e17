"""Which recipe suits a model: one that was tuned for sentences is best left as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from attar.encoders.prompted import takes_prompt
from attar.types import Encoder

Job = Literal["similarity", "clustering"]


@dataclass(frozen=True)
class Suited:
    """A named recipe, the shape that stands in for its own (None: its own), and why."""

    recipe: str
    shape: str | None
    because: str


def suited(encoder: Encoder, job: Job, template: str | None = None) -> Suited:
    """What to take for a job where the user has named no recipe, but perhaps a template.

    Raises
    ------
    ModelError
        Where there is no such model, which nothing before had to read.
    """
    prompted = takes_prompt(encoder)  # first, so that a model which is not there is told of before all else
    if encoder.tuned_for_sentences:
        return Suited("plain", "unit", "the model was tuned for sentences")
    if not encoder.contextual:
        return Suited("plain", "unit", "the model is a static table")
    if template is None and prompted:
        return Suited("prompt", None, "the model is a causal one, whose plain mean is poor")
    return Suited(job, None, "nothing says that the model was tuned for sentences (attar choose may find a better one)")
