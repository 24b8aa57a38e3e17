"""Choose a recipe: sample texts, pass them once for each template, take the signals, ask, decide, fit."""

from __future__ import annotations

import logging
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from attar.choosing.answers import PairAnswer, answers_of, resume
from attar.choosing.candidates import candidates
from attar.choosing.chosen import Chosen
from attar.choosing.dialogue import Dialogue
from attar.choosing.evidence import LEAST_TEXTS, VOTERS, Grouped, corpora, gather, try_candidate
from attar.choosing.passes import Units, each_candidate
from attar.choosing.questions import CLUSTERING, PURPOSES, SIMILARITY, draw_questions
from attar.encoders.opening import open_encoder
from attar.errors import AttarError, InputError, OutputError, unknown_name
from attar.io.aside import scratch
from attar.io.atomic import explained, make_own_folder
from attar.io.locks import exclusive
from attar.io.plural import number_of
from attar.io.progress import Advance, bar
from attar.io.texts import check_texts, iter_texts
from attar.pipeline import distinct_texts
from attar.types import Encoder

log = logging.getLogger("attar")
LOCK, KEPT = "lock", "kept"
_OWN = re.compile(rf"[0-9a-f]{{16}}|{LOCK}|{KEPT}")  # what a folder of pooled vectors holds
Talk = Callable[[Dialogue, Sequence[str]], None]  # asks questions about the texts and notes the answers


@dataclass(frozen=True)
class ChooseSettings:
    """How to choose.

    Parameters
    ----------
    purpose : str
        What the vectors are for: "similarity", "clustering" or "search". It decides which questions are asked; for
        clustering, recipes that take directions away are left out, and others must prove themselves by grouping texts.
    sample : int
        Distinct texts that go through the model for the choice; the recipe is fitted on all.
    work : Path, optional
        Where pooled vectors are kept, so that a later call goes on; a temporary folder if not given.
    progress : bool
        Show bars on a terminal.
    """

    purpose: str = SIMILARITY
    sample: int = 1000
    work: Path | None = None
    progress: bool = False

    def __post_init__(self) -> None:
        if self.purpose not in PURPOSES:
            raise unknown_name("purpose", self.purpose, PURPOSES)
        if not isinstance(self.sample, int) or self.sample < LEAST_TEXTS:
            raise InputError(f"sample={self.sample!r} is not allowed; give a whole number from {LEAST_TEXTS} on")


def choose(
    texts: Any,
    encoder: Encoder | str | None = None,
    *,
    settings: ChooseSettings | None = None,
    answers: Sequence[PairAnswer] = (),
    talk: Talk | None = None,
) -> Chosen:
    """Choose a recipe for these texts and this model.

    Parameters
    ----------
    texts : iterable of str
        The texts that are to be embedded, or texts like them.
    encoder : Encoder or str, optional
        The model, or what `attar encode --model` would call it; the embedded default if not given. A template that it
        has is replaced.
    settings : ChooseSettings, optional
        Purpose, size of the sample, where to keep vectors.
    answers : sequence of PairAnswer
        Answers that were given before, about any texts.
    talk : callable, optional
        Is handed the dialogue and the texts of its questions, and notes more answers in it.

    Returns
    -------
    Chosen
        The choice with its reasons; `.embedder()` is the recipe, fitted on all texts.

    Raises
    ------
    InputError
        If there are too few distinct texts, or all get the same vector.
    """
    settings = settings or ChooseSettings()
    given, _ = check_texts(iter_texts(texts))
    made = open_encoder(encoder) if encoder is None or isinstance(encoder, str) else encoder
    made = made.with_template(None)
    sampled = sample_texts(given, settings.sample, answers)
    if len(sampled) < LEAST_TEXTS:
        few = number_of(len(sampled), "distinct text")
        raise InputError(f"too few to choose by: {few}; give {LEAST_TEXTS} or more")
    with _work(settings.work) as work:
        grouped = settings.purpose == CLUSTERING
        wanted = candidates(made, grouped)
        log.info("%s recipes are judged; this goes on after the model is done", len(wanted))
        one_thread = threadpool_limits(1, user_api="blas")  # products are small: threads would wait for each other
        with one_thread, bar(len(wanted), "recipes judged", settings.progress) as advance:
            each = each_candidate(made, wanted, corpora(sampled), work, settings.progress)
            evidence = gather(_counted(each, advance), grouped=Grouped(sampled, try_candidate) if grouped else None)
    drawn = draw_questions(evidence, settings.purpose)
    dialogue = resume(evidence, drawn, answers, sampled, made.tuned_for_sentences)
    if talk is not None:
        if grouped and made.tuned_for_sentences:
            log.warning(
                "answers about groups improve vectors of tuned models little on average and can mislead; compare the "
                "groups with those of the plain recipe (docs/choose.md)"
            )
        talk(dialogue, sampled)
    told = tuple(answers_of(dialogue, sampled))
    return Chosen(made, evidence, dialogue.verdict(), settings.purpose, tuple(given), len(sampled), told)


def _counted(each: Iterable[Units], advance: Advance) -> Iterator[Units]:
    for units in each:
        yield units
        advance(1)


def sample_texts(texts: Sequence[str], wanted: int, answers: Sequence[PairAnswer] = ()) -> list[str]:
    """Distinct texts that are not blank, drawn once and for all; texts of answers are always among the first.

    Where the answers are about texts that are drawn among the first anyway, the order is that without answers.
    """
    once = [text for text in distinct_texts(list(texts))[0] if text.strip()]
    order = np.random.default_rng(0).permutation(len(once))[:wanted]
    drawn = [once[int(i)] for i in order]
    asked = list(dict.fromkeys(text for answer in answers for text in answer.texts))
    if set(asked) <= set(drawn[:VOTERS]):
        return drawn
    if len(asked) > VOTERS:
        raise InputError(f"the answers are about {len(asked):,} texts; at most {VOTERS} can be taken into account")
    return [*asked, *(text for text in drawn if text not in set(asked))]


def keep_work(folder: Path) -> None:
    """Marks pooled vectors that are to stay although the recipe is saved."""
    with explained(folder):
        (folder / KEPT).touch()


def remove_work(folder: Path) -> None:
    """Removes what a run that was killed after it saved its recipe has left; what is kept, or another's, stays."""
    if not folder.is_dir() or (folder / KEPT).exists() or not all(map(_OWN.fullmatch, os.listdir(folder))):
        return
    with suppress(OutputError), exclusive(folder / LOCK):
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _work(folder: Path | None) -> Iterator[Path]:
    """The folder of pooled vectors: the one given, which stays and is this process's alone, or a temporary one."""
    if folder is None:
        with scratch() as place:
            yield place
        return
    with explained(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = not folder.exists()
    make_own_folder(folder, lambda names: all(map(_OWN.fullmatch, names)), "the work of an earlier run")
    try:
        with exclusive(folder / LOCK):
            yield folder
    except AttarError as error:
        if fresh and not isinstance(error, OutputError):  # what was refused is not gone on with
            shutil.rmtree(folder, ignore_errors=True)
        raise
