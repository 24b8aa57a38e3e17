"""What following `attar choose` is worth: plain, named, chosen without labels, after simulated answers, and the best.

    python examples/choose_regret.py DATA WORK --model mobilebert=FOLDER --model minilm= --rows 1000 > tables.md

Every candidate is scored with the labels of the task; the choice never sees them, except through the simulated answers.
WORK keeps pooled vectors, and the signals and labelled scores of each model on each task: none is computed twice.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from attar import tasks
from attar.choosing.answers import resume
from attar.choosing.candidates import Candidate, candidates, named_candidates
from attar.choosing.dialogue import SAID
from attar.choosing.evidence import Grouped, SignalEvidence, corpora, gather, try_candidate
from attar.choosing.grouping import GroupEvidence
from attar.choosing.passes import Units, each_candidate
from attar.choosing.questions import DRAWN, Questions, draw_questions
from attar.choosing.rule import judge
from attar.encoders.opening import open_encoder
from attar.pipeline import distinct_texts
from attar.scores.agreement import matched_accuracy, shared_counts
from attar.scores.correlation import spearman
from attar.scores.solvers.kmeans import kmeans
from attar.sweep.sampling import draw, sample_task
from attar.types import Encoder

FIXED_ON = ("STS12", "STS14", "SICK-R", "stackoverflow", "tweet", "TREC")  # with mobilebert; all else was held out
HELD_OUT = ("STS13", "STS15", "STS-B", "MRPC", "agnews", "biomedical", "searchsnippets", "SUBJ", "MR", "MPQA", "SST2")
TASKS = (*FIXED_ON, *HELD_OUT)
STEPS = (10, 20, 40)
SLIPS = (0.0, 0.1)
RUNS = 5  # of each dialogue
STARTS = 5  # of k-means: the best of them, as `attar groups` takes
COLUMNS = ["plain", "named", "chosen", *(f"after {s}{k}" for k in ("", " slips") for s in STEPS), "best"]
Row = dict[str, float | str]


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--model", action="append", required=True, help="NAME=FOLDER; nothing: the embedded default")
    parser.add_argument("--tasks", default=" ".join(TASKS))
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--precision", help="of the models, as `attar encode` has it; bfloat16 for language models")
    parser.add_argument("--ready", action="store_true", help="tables of what is in WORK already; compute nothing else")
    given = parser.parse_args()
    rows: list[Row] = []
    for model in given.model:
        name, _, source = model.partition("=")
        for task in given.tasks.split():
            labelled = Labelled.load(task, given.data, given.rows)
            kept = given.work / f"{name}-{task}-{given.rows}.npz"
            if kept.is_file() or not given.ready:
                encoder = open_encoder(source or None).configured(precision=given.precision)
                if not kept.is_file():
                    collect(encoder, labelled, given.work / name, kept)
                rows.append({"model": name, "task": task} | measure(encoder, labelled, kept))
                print(rows[-1], file=sys.stderr, flush=True)
    print("\n".join(summary(rows)))


@dataclass(frozen=True)
class Labelled:
    """A task: its distinct texts, and what is known of them."""

    texts: list[str]
    sides: np.ndarray | None  # (N, 2) texts of graded pairs; None for groups
    grades: np.ndarray  # (N,) of pairs, or the group of each text of the task
    place: np.ndarray  # of each text of the task

    @classmethod
    def load(cls, name: str, data: Path, rows: int) -> Labelled:
        """So many pairs or texts; classes without pairs are groups, and two classes of pairs are grades."""
        task = tasks.load(name, data)
        if isinstance(task, tasks.ClassifyTask):
            some = draw(len(task.left), rows)
            some = np.arange(len(task.left)) if some is None else some
            texts = [side[i] for side in (task.left, task.right) if side for i in some]
            pairs, known = bool(task.right), np.asarray(task.labels)[some]
        else:
            taken = sample_task(task, rows)
            texts, pairs = list(taken.texts), isinstance(taken, tasks.StsTask)
            known = taken.scores if pairs else taken.labels
        once, index = distinct_texts(texts)
        order = np.random.default_rng(0).permutation(len(once))  # the first of these vote and are asked about
        place = np.argsort(order)[index]
        sides = np.stack([place[: len(known)], place[len(known) :]], axis=1) if pairs else None
        known = known.astype(np.float64) if pairs else np.unique(known, return_inverse=True)[1]
        return cls([once[i] for i in order], sides, known, place)

    @property
    def differing(self) -> np.ndarray:
        """Which pairs are of two different texts."""
        assert self.sides is not None
        return self.sides[:, 0] != self.sides[:, 1]

    @property
    def pairs(self) -> np.ndarray | None:
        """What can be asked about; None: any two texts."""
        return None if self.sides is None else np.sort(self.sides[self.differing], axis=1)

    def score(self, units: np.ndarray) -> float:
        """Spearman's correlation of cosines with grades, or accuracy of k-means on vectors of length 1; x 100."""
        if self.sides is not None:
            cosines = np.einsum("md,md->m", units[self.sides[:, 0]], units[self.sides[:, 1]], dtype=np.float64)
            return 100 * spearman(cosines, self.grades)
        found = kmeans(units[self.place], int(self.grades.max()) + 1, STARTS).labels
        return 100 * matched_accuracy(shared_counts(self.grades, found))

    def questions(self, evidence: SignalEvidence, seed: int) -> tuple[Questions, list[str]]:
        """Questions, and their answers by the labels; pairs of one grade are both alike."""
        if self.sides is None:
            questions = draw_questions(evidence, "clustering", seed=seed)
            group = np.zeros(len(self.texts), dtype=int)
            group[self.place] = self.grades
            same = [group[side[:, 0]] == group[side[:, 1]] for side in (questions.left, questions.right)]
            names = {(True, False): "left", (False, True): "right", (True, True): "both", (False, False): "neither"}
            return questions, [names[bool(left), bool(right)] for left, right in zip(*same, strict=True)]
        columns = np.random.default_rng(seed).integers(0, len(evidence.pairs), (DRAWN, 2))
        columns = columns[columns[:, 0] != columns[:, 1]]
        grades = self.grades[self.differing]
        questions = Questions(evidence.pairs[columns[:, 0]], evidence.pairs[columns[:, 1]], columns)
        more = np.sign(grades[columns[:, 0]] - grades[columns[:, 1]]).astype(int)
        return questions, [("both", "left", "right")[m] for m in more]


def collect(encoder: Encoder, task: Labelled, work: Path, kept: Path) -> None:
    """Keep the signals and the labelled scores of all candidates of a model on a task."""
    gold: list[float] = []

    def scored(each: Iterator[Units]) -> Iterator[Units]:
        for units in each:
            gold.append(task.score(units.of["texts"]))
            yield units

    work.mkdir(parents=True, exist_ok=True)
    grouped = task.sides is None
    each = each_candidate(encoder, candidates(encoder, grouped), corpora(task.texts), work)
    judged = Grouped(task.texts, _Tried(work / "trials.npz")) if grouped else None
    _keep(kept, gather(scored(each), task.pairs, judged), gold)


def measure(encoder: Encoder, task: Labelled, kept: Path) -> Row:
    """One model on one task: the score of plain, of the best named recipe, of each choice and of the best."""
    evidence, scores = _kept(kept)
    tuned = encoder.tuned_for_sentences
    place = {name: evidence.candidates.index(c) for name, c in named_candidates(encoder).items()}
    chosen = judge(evidence, tuned=tuned).chosen
    found: Row = {
        "plain": scores[place["plain"]],
        "named": scores[list(place.values())].max(),
        "chosen": scores[chosen],
        "best": scores.max(),
        "recipe": str(evidence.candidates[chosen]),
    }
    for slips in SLIPS:
        after = np.array([_simulate(evidence, task, slips, tuned, seed) for seed in range(RUNS)])
        for step, picked in zip(STEPS, after.T, strict=True):
            found[f"after {step}{' slips' if slips else ''}"] = scores[picked].mean()
    return found


def _simulate(evidence: SignalEvidence, task: Labelled, slips: float, tuned: bool, seed: int) -> list[int]:
    """The candidate chosen after each number of questions; some answers are slips, which say anything else."""
    questions, truth = task.questions(evidence, seed)
    dialogue = resume(evidence, questions, (), (), tuned)
    rng = np.random.default_rng(seed)
    found = []
    for n in range(1, max(STEPS) + 1):
        q = dialogue.next_question()
        assert q is not None
        others = [said for said in SAID if said != truth[q]]
        dialogue.answer(q, str(rng.choice(others)) if rng.random() < slips else truth[q])
        if n in STEPS:
            found.append(dialogue.verdict().chosen)
    return found


ARRAYS = ("agreement", "neighbours", "probe_cosines", "topic_scores", "pairs", "cosines")
GROUP_ARRAYS = ("common", "words", "trials", "words_per_text")


class _Tried:
    """Scores in trials, which do not depend on the task: kept in a file for each model."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.held = dict(np.load(path)) if path.is_file() else {}

    def __call__(self, units: Units) -> np.ndarray:
        name = str(units.candidate)
        if name not in self.held:
            self.held[name] = try_candidate(units)
            _save(self.path, self.held)
        return self.held[name]


def _keep(path: Path, evidence: SignalEvidence, gold: Sequence[float]) -> None:
    arrays = {name: getattr(evidence, name) for name in ARRAYS}
    if evidence.groups is not None:
        arrays |= {f"groups {name}": getattr(evidence.groups, name) for name in GROUP_ARRAYS}
    signals = {f"signal {name}": values for name, values in evidence.signals.items()}
    _save(path, {"candidates": [str(c) for c in evidence.candidates], "gold": gold} | arrays | signals)


def _save(path: Path, arrays: Mapping[str, ArrayLike]) -> None:
    aside = path.with_suffix(".part.npz")
    np.savez(aside, **arrays)
    aside.replace(path)


def _kept(path: Path) -> tuple[SignalEvidence, np.ndarray]:
    with np.load(path) as held:
        found = tuple(_candidate(str(text)) for text in held["candidates"])
        signals = {name.removeprefix("signal "): held[name] for name in held if name.startswith("signal ")}
        arrays = {name: held[name] for name in ARRAYS}
        grouped = "groups common" in held
        groups = GroupEvidence(**{name: held[f"groups {name}"] for name in GROUP_ARRAYS}) if grouped else None
        return SignalEvidence(found, signals, **arrays, groups=groups), held["gold"]


def _candidate(text: str) -> Candidate:
    template, layers, weights, shape = text.split(" | ")
    return Candidate(template, tuple(map(int, layers.split(","))), weights, shape)


def summary(rows: Sequence[Row]) -> list[str]:
    """Tables for docs/choose.md: every task, then gains and regrets of groups of them."""
    lines = ["| model | task | " + " | ".join(COLUMNS) + " | recipe |", "|---" * (len(COLUMNS) + 3) + "|"]
    for row in rows:
        shown = " | ".join(f"{float(row[c]):.1f}" for c in COLUMNS)
        recipe = str(row["recipe"]).replace("|", "·")
        lines.append(f"| {row['model']} | {row['task']}{'' if _fixed_on(row) else '*'} | {shown} | `{recipe}` |")
    lines += [
        "",
        "| group | tasks | | mean gain over plain | worst | mean regret to best |",
        "|---|---|---|---|---|---|",
    ]
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(f"{row['model']}, {'fixed on' if _fixed_on(row) else 'held out'}", []).append(row)
    for title, members in groups.items():
        for column in COLUMNS[1:-1]:
            gains = np.array([float(row[column]) - float(row["plain"]) for row in members])
            regrets = np.array([float(row["best"]) - float(row[column]) for row in members])
            cells = (title, len(members), column, _interval(gains), f"{gains.min():+.1f}", _interval(regrets))
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


def _fixed_on(row: Row) -> bool:
    return row["model"] == "mobilebert" and row["task"] in FIXED_ON


def _interval(values: np.ndarray) -> str:
    """The mean and its 95 % interval over resamples of tasks."""
    rng = np.random.default_rng(0)
    means = values[rng.integers(0, len(values), (2000, len(values)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{values.mean():+.1f} ({low:+.1f} to {high:+.1f})"


if __name__ == "__main__":
    main()
