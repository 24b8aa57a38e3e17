"""What following `attar choose` is worth: plain, named, chosen without labels, after simulated answers, and the best.

    python examples/choose_regret.py DATA RESULTS.csv --model mobilebert=FOLDER --model minilm= --rows 1000

Every candidate is scored with the labels of the task; the choice never sees them, except through the simulated answers.
Finished tasks are in RESULTS.csv and are not computed again.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from attar import scores, tasks
from attar.choosing.answers import resume
from attar.choosing.candidates import candidates, named_candidates
from attar.choosing.evidence import VOTERS, SignalEvidence, gather
from attar.choosing.passes import each_candidate
from attar.choosing.probe import read_probe
from attar.choosing.questions import DRAWN, Questions, draw_questions
from attar.choosing.rule import judge
from attar.encoders.opening import open_encoder
from attar.pipeline import distinct_texts
from attar.sweep.sampling import sample_task

TASKS = "STS12 STS14 SICK-R tweet stackoverflow STS13 STS15 STS-B agnews biomedical searchsnippets"
FIXED_ON = ("STS12", "STS14", "SICK-R", "tweet", "stackoverflow")  # with mobilebert; all else was held out
STEPS = (10, 20, 40)
SLIPS = (0.0, 0.1)
RUNS = 5  # of each dialogue


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("results", type=Path)
    parser.add_argument("--model", action="append", required=True, help="NAME=FOLDER; nothing: the embedded default")
    parser.add_argument("--tasks", default=TASKS)
    parser.add_argument("--rows", type=int, default=1000)
    arguments = parser.parse_args()
    done = {(row["model"], row["task"]) for row in _read(arguments.results)}
    for model in arguments.model:
        name, _, source = model.partition("=")
        for task in arguments.tasks.split():
            if (name, task) not in done:
                row = {"model": name, "task": task} | measure(source or None, task, arguments.data, arguments.rows)
                _write(arguments.results, [*_read(arguments.results), {k: str(v) for k, v in row.items()}])
                print(row, flush=True)
    print("\n".join(summary(_read(arguments.results))))


def measure(source: str | None, name: str, data: str, rows: int) -> dict[str, object]:
    """One model on one task: the score of plain, of the best named recipe, of each choice and of the best."""
    encoder = open_encoder(source)
    task = sample_task(tasks.load(name, data), rows)
    once, index = distinct_texts(task.texts)
    order = np.random.default_rng(0).permutation(len(once))  # the first of these vote and are asked about
    place = np.argsort(order)[index]  # of each text of the task
    texts = [once[i] for i in order]
    probe = read_probe()
    pairs = None
    if isinstance(task, tasks.StsTask):
        sides = np.stack([place[: len(task.left)], place[len(task.left) :]], axis=1)
        pairs = np.sort(sides[sides[:, 0] != sides[:, 1]], axis=1)
    labelled: list[float] = []

    def scored(units):
        for one in units:
            labelled.append(_score(one.texts[place], task))
            yield one

    wanted = candidates(encoder)
    with tempfile.TemporaryDirectory() as work:
        evidence = gather(scored(each_candidate(encoder, wanted, texts, probe, Path(work))), probe, pairs)
    gold = np.array(labelled)
    tuned = encoder.tuned_for_sentences
    named = [wanted.index(c) for c in named_candidates(encoder).values()]
    verdict = judge(evidence, tuned=tuned)
    found: dict[str, object] = {
        "plain": gold[0],
        "named": gold[named].max(),
        "chosen": gold[verdict.chosen],
        "recipe": str(wanted[verdict.chosen]),
        "best": gold.max(),
    }
    questions, truth = _asked(evidence, task, place)
    for slips in SLIPS:
        after = np.array([_simulate(evidence, questions, truth, slips, tuned, seed) for seed in range(RUNS)])
        for step, chosen in zip(STEPS, after.T, strict=True):
            found[f"after {step}{' slips' if slips else ''}"] = gold[chosen].mean()
    return found


def _score(units, task) -> float:
    if isinstance(task, tasks.StsTask):
        return 100 * scores.sts(units, task, resamples=2)["spearman"]
    return 100 * scores.cluster(units, task, runs=2, n_init=1)["accuracy"]


def _asked(evidence: SignalEvidence, task, place) -> tuple[Questions, np.ndarray]:
    """Questions, and which side the labels say is closer: 1 left, -1 right, 0 neither."""
    if not isinstance(task, tasks.StsTask):
        questions = draw_questions(evidence, "clustering")
        labels = np.zeros(VOTERS, dtype=int)
        labels[place[place < VOTERS]] = task.labels[place < VOTERS]
        same = [labels[side[:, 0]] == labels[side[:, 1]] for side in (questions.left, questions.right)]
        return questions, same[0].astype(int) - same[1].astype(int)
    rng = np.random.default_rng(0)
    columns = np.stack([rng.permutation(len(evidence.pairs))[: DRAWN // 2] for _ in range(2)], axis=1)
    columns = columns[columns[:, 0] != columns[:, 1]]
    sides = np.stack([place[: len(task.left)], place[len(task.left) :]], axis=1)
    grades = task.scores[sides[:, 0] != sides[:, 1]]
    questions = Questions(evidence.pairs[columns[:, 0]], evidence.pairs[columns[:, 1]], columns)
    return questions, np.sign(grades[columns[:, 0]] - grades[columns[:, 1]]).astype(int)


def _simulate(evidence: SignalEvidence, questions: Questions, truth, slips: float, tuned: bool, seed: int) -> list[int]:
    """The candidate chosen after each number of questions; some answers are wrong, ties are skipped."""
    rng = np.random.default_rng(seed)
    some = np.sort(rng.permutation(len(questions))[: len(questions) // 2])  # so that runs differ
    mine = Questions(questions.left[some], questions.right[some], questions.columns[some])
    dialogue = resume(evidence, mine, (), (), tuned)
    found = []
    for n in range(1, max(STEPS) + 1):
        q = dialogue.next_question()
        assert q is not None
        said = truth[some[q]] * (-1 if rng.random() < slips else 1)
        dialogue.answer(q, None if said == 0 else bool(said > 0))
        if n in STEPS:
            found.append(dialogue.verdict().chosen)
    return found


def summary(rows: Sequence[dict[str, str]]) -> list[str]:
    """Tables for docs/choose.md: every task, then gains and regrets of groups of them."""
    columns = ["plain", "named", "chosen", *(f"after {s}{k}" for k in ("", " slips") for s in STEPS), "best"]
    lines = ["| model | task | " + " | ".join(columns) + " | recipe |", "|---" * (len(columns) + 3) + "|"]
    for row in rows:
        held = "" if row["model"] == "mobilebert" and row["task"] in FIXED_ON else "*"
        shown = " | ".join(f"{float(row[c]):.1f}" for c in columns)
        lines.append(f"| {row['model']} | {row['task']}{held} | {shown} | `{row['recipe'].replace('|', '·')}` |")
    lines += [
        "",
        "| group | tasks | | mean gain over plain | worst | mean regret to best |",
        "|---|---|---|---|---|---|",
    ]
    for title, members in _groups(rows).items():
        for column in columns[1:-1]:
            gains = np.array([float(row[column]) - float(row["plain"]) for row in members])
            regrets = np.array([float(row["best"]) - float(row[column]) for row in members])
            cells = (title, len(members), column, _interval(gains), f"{gains.min():+.1f}", _interval(regrets))
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


def _groups(rows: Sequence[dict[str, str]]) -> dict[str, list[dict[str, str]]]:
    groups: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        part = "fixed on" if row["model"] == "mobilebert" and row["task"] in FIXED_ON else "held out"
        groups.setdefault(f"{row['model']}, {part}", []).append(row)
    return groups


def _interval(values: np.ndarray) -> str:
    """The mean and its 95 % interval over resamples of tasks."""
    rng = np.random.default_rng(0)
    means = values[rng.integers(0, len(values), (2000, len(values)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{values.mean():+.1f} ({low:+.1f} to {high:+.1f})"


def _read(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _write(path: Path, rows: Sequence[dict[str, str]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
