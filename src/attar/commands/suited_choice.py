"""The embedder of a job: what the user asked for, or what suits the model."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from attar.commands.choices import Choices
from attar.enough import FEW, HINT
from attar.errors import InputError

if TYPE_CHECKING:
    from attar.embedder import Embedder
    from attar.jobs.suited import Job

log = logging.getLogger("attar")


def suited_embedder(choices: Choices, job: Job) -> Embedder:
    """As asked for; where nothing was, what suits the model, which is then said."""
    if any(value is not None for value in (choices.recipe, choices.layers, choices.weights, choices.shape)):
        return choices.embedder()
    from attar.encoders.opening import open_encoder
    from attar.jobs.suited import suited

    found = suited(open_encoder(choices.model), job, choices.template)
    log.info("recipe: %s, since %s", found.recipe, found.because)
    return replace(choices, recipe=found.recipe, shape=found.shape).embedder()


def fit_anyway_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --fit-anyway."""
    return click.option("--fit-anyway", is_flag=True, help="Let a recipe learn from fewer than 50 texts.")(command)


def check_enough(embedder: Embedder, n_texts: int, anyway: bool) -> None:
    """Refuses to fit on a handful of texts, unless that is asked for."""
    if anyway or n_texts >= FEW or not embedder.needs_fit or embedder.__sklearn_is_fitted__():
        return
    are = "is" if n_texts == 1 else "are"
    raise InputError(
        f"the recipe must learn from texts, and {n_texts} {are} too few, as {FEW} or more are needed; {HINT}; "
        "--fit-anyway fits it all the same"
    )
