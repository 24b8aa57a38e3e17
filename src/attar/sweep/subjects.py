"""Subjects: what recipes are scored on: tasks, and three measures that the paper takes beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attar import tasks
from attar.errors import InputError
from attar.recipe import Corpus
from attar.sweep.sampling import sample_task
from attar.tasks.types import StsTask, Task
from attar.types import Floats

MEASURES = ("isoscore", "alignment", "uniformity")
RESAMPLES = 200  # of pairs, for the interval of a correlation: a fifth of the time of 1000
SMALLER_IS_BETTER = ("alignment", "uniformity")
BACKGROUND = "background"  # the rows of the corpus, beside those of the tasks
_TAKEN = (*tasks.FAMILIES, *MEASURES, BACKGROUND, "all")  # what else stands where the names of tasks do


@dataclass(frozen=True)
class Subject:
    """A task or a measure, with its texts."""

    name: str
    family: str
    texts: tuple[str, ...]
    task: Task | None
    sampled_from: int | None = None  # rows that the task has, where not all are taken
    source: str = ""  # what `attar.tasks.load` makes the whole task from
    rows: int | None = None  # how many rows were asked for, where not all are taken

    @property
    def fingerprint(self) -> str:
        """Of the texts and of what is to be found out about them."""
        answers = b"" if self.task is None else repr(_answers(self.task)).encode()
        return hashlib.sha256(Corpus.of(self.texts).sha256.encode() + answers).hexdigest()

    def score(self, vectors: Floats, runs: int) -> Mapping[str, Any]:
        """metric, score and, where there is one, its interval (low, high). Shape: vectors (N, D), rows as `texts`"""
        if self.family in MEASURES:
            return {"metric": self.family, "score": _measured(self.family, vectors, self.task)}
        assert self.task is not None
        from attar.scores import score

        return score(vectors, self.task, resamples=RESAMPLES, runs=runs)


def load_subjects(
    names: Sequence[str], data: Path | None, rows: int | None, background: Sequence[str]
) -> dict[str, tuple[Subject, ...]]:
    """For each name of a grid (a task, a family, "all", a file, a measure) what it stands for."""
    loaded: dict[str, Subject] = {}
    found: dict[str, tuple[Subject, ...]] = {}
    for name in names:
        if name in MEASURES:
            found[name] = (_measure(name, data, rows, background),)
        else:
            members = [_of_task(tasks.load(source, data), rows, source) for source in tasks.selected(name)]
            found[name] = tuple(_only(loaded.setdefault(subject.name, subject), subject) for subject in members)
    return found


def _only(first: Subject, later: Subject) -> Subject:
    """The first of a name; another one must be the same."""
    if first is not later and (first.family, first.fingerprint) != (later.family, later.fingerprint):
        raise InputError(
            f"the tasks {first.source!r} and {later.source!r} would both be called {first.name!r}: "
            f"rename a file, or give each a run of its own"
        )
    return first


def is_taken(name: str) -> bool:
    """Whether a task can't have this name: families, measures and the corpus have a place of their own in a run."""
    return name in _TAKEN


def _of_task(task: Task, rows: int | None, source: str) -> Subject:
    taken = sample_task(task, rows)
    if is_taken(task.name):
        raise InputError(
            f"the task {source!r} would be called {task.name!r}, and that is no name for a task, since it stands for "
            f"something else in a sweep: rename its file, to 'my-{task.name}' for example"
        )
    whole = None if taken is task else len(_answers(task))
    asked = None if taken is task else rows
    return Subject(taken.name, taken.family, tuple(taken.texts), taken, whole, source, asked)


def _measure(name: str, data: Path | None, rows: int | None, background: Sequence[str]) -> Subject:
    if name == "isoscore":
        if not background:
            raise InputError("isoscore is measured on a background corpus: give --background FILE")
        return Subject(name, name, tuple(background), None)
    pairs = tasks.load("STS-B", data, split="train")
    subject = _of_task(pairs, rows, pairs.name)
    return Subject(name, name, subject.texts, subject.task, subject.sampled_from)


def _measured(measure: str, vectors: Floats, task: Task | None) -> float:
    from attar.scores.alignment import alignment, uniformity
    from attar.scores.isotropy import isoscore

    if measure == "alignment":
        assert isinstance(task, StsTask)
        return float(alignment(vectors, task))
    return float(uniformity(vectors) if measure == "uniformity" else isoscore(vectors))


def _answers(task: Task) -> list[Any]:
    return list((task.scores if isinstance(task, StsTask) else task.labels).tolist())
