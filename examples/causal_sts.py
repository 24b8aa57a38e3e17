"""What prompts, layers and shaping make of a causal language model, against the mean of its last layer.

    python examples/causal_sts.py MODEL DATA KEPT [--tasks STS-B,STS12=500,tweet] [--dev-rows 500]

MODEL is a .gguf file or a model folder, KEPT a folder where pooled vectors and scores are kept: a run that was stopped
goes on there. Every text goes through the model once for each prompt. The layer of each row is chosen on STS-B dev,
with the shaping of that row; shapers and idf learn from a task's texts, never from its answers. STS12=500 takes 500 of
the task's rows, evenly spaced, in place of all. Prints tables of Spearman x 100, or of accuracy x 100 for clusters and
classes, which take long to score: of those the last layer alone.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from attar import Transformer, scores, shapers, tasks, weights
from attar.io.atomic import new_file
from attar.pooling import pool_texts
from attar.types import Floats

Make = Callable[[], Floats]
PART = 1024  # texts whose vectors are kept together
LAST = "last"


@dataclass(frozen=True)
class Way:
    """How a text becomes one vector per layer: prompts that are averaged, and token weights."""

    name: str
    prompts: tuple[str | None, ...]
    weights: str


WAYS = [
    Way("mean", (None,), "mean"),
    Way("last token", (None,), "last"),
    Way("position-weighted mean", (None,), "position"),
    Way("idf mean", (None,), "idf"),
    Way("echo, mean of the second copy", ("echo",), "text"),
    Way("eol, answer", ("eol",), "answer"),
    Way("cot, answer", ("cot",), "answer"),
    Way("knowledge, answer", ("knowledge",), "answer"),
    Way("cot+knowledge, answers averaged", ("cot", "knowledge"), "answer"),
]
META = Way("meta, eight answers averaged", ("meta",), "answer")  # eight passes: the last layer alone
SHAPINGS = ("none", "zscore", "abtt:1", "whiten")
FEW = ("none", "zscore")  # of clusters and classes, which take long to score


@dataclass(frozen=True, eq=False)
class Subject:
    """A task, or some of its rows."""

    name: str
    task: tasks.Task
    whole: bool

    @classmethod
    def of(cls, data: str, selection: str, split: str | None = None) -> Subject:
        name, _, number = selection.partition("=")
        task = tasks.load(name, data, split=split) if split else tasks.load(name, data)
        part = some(task, int(number)) if number else task
        return cls(f"{name} {split}" if split else name, part, part is task)

    @property
    def shapings(self) -> tuple[str, ...]:
        return SHAPINGS if isinstance(self.task, tasks.StsTask) else FEW

    @property
    def n_rows(self) -> int:
        return len(self.task.texts) // (2 if isinstance(self.task, tasks.StsTask) else 1)

    @property
    def label(self) -> str:
        return f"{self.name} ({self.n_rows}{'' if self.whole else ' of more'})"

    @cached_property
    def distinct(self) -> tuple[list[str], list[int]]:
        found: dict[str, int] = {}
        rows = [found.setdefault(text, len(found)) for text in self.task.texts]
        return list(found), rows


@dataclass
class Bench:
    """A model and what is kept of it."""

    model: Transformer
    folder: Path

    def pooled(self, subject: Subject, prompt: str | None, layers: Sequence[int]) -> dict[str, list[Floats]]:
        """By token weights: vectors of the distinct texts at these layers, in mapped parts. Shape: (N, L, D)"""
        texts, _ = subject.distinct
        names = sorted({way.weights for way in [*WAYS, META] if prompt in way.prompts})
        encoder = self.model.with_template(prompt)
        fitted = None
        parts = []
        for start in range(0, len(texts), PART):
            place = f"{subject.label}.{prompt}.{'-'.join(map(str, layers))}.{start}.npy"
            path = self.folder / place
            if not path.exists():
                if fitted is None:
                    tokens, vocabulary = encoder.tokenize(texts), encoder.vocabulary
                    fitted = [weights.parse(name).fit(tokens, vocabulary) for name in names]
                vectors = pool_texts(encoder, texts[start : start + PART], fitted, layers).vectors
                with new_file(path) as aside, open(aside, "wb") as file:
                    np.save(file, vectors)
                print(f"{subject.label}, {prompt}: {start + vectors.shape[1]} of {len(texts)} texts", flush=True)
            parts.append(np.load(path, mmap_mode="r"))
        return {name: [part[n] for part in parts] for n, name in enumerate(names)}

    def of_ways(
        self, subject: Subject, ways: Sequence[Way], layers: dict[str | None, list[int]]
    ) -> Iterator[tuple[Way, int, Make]]:
        """Every way at every layer that all its prompts have, and what makes its vectors. Shape of these: (N, D)"""
        held: dict[str | None, dict[str, list[Floats]]] = {}
        for way in ways:
            held = {p: held.get(p) or self.pooled(subject, p, layers[p]) for p in way.prompts}
            for layer in sorted(set.intersection(*(set(layers[prompt]) for prompt in way.prompts))):
                sides = [(held[p][way.weights], layers[p].index(layer)) for p in way.prompts]
                yield way, layer, partial(_mean_of, sides)


def _mean_of(sides: Sequence[tuple[list[Floats], int]]) -> Floats:
    """Of the vectors of several prompts, each in parts and at a place among its layers. Shape: (N, D)"""
    vectors = [np.concatenate([part[:, at] for part in parts]) for parts, at in sides]
    mean: Floats = np.mean(vectors, axis=0, dtype=np.float32)
    return mean


class Scores:
    """Numbers by what they are of, in a file that grows by a line for each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self._found: dict[str, float] = dict(map(json.loads, lines))

    def of(self, subject: Subject, way: Way, layer: int, shaping: str, make: Make) -> float:
        key = f"{subject.label}|{way.name}|{layer}|{shaping}"
        if key not in self._found:
            _, rows = subject.distinct
            shaped = make()
            for shaper in shapers.parse(shaping):
                shaped = shaper.fit_transform(shaped)
            found = scores.score(shaped[rows], subject.task, resamples=1)["score"]
            self._found[key] = 100 * float(found)  # type: ignore[arg-type]
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(json.dumps([key, self._found[key]]) + "\n")
        return self._found[key]


def some(task: tasks.Task, n: int) -> tasks.Task:
    """So many rows, evenly spaced."""
    size = len(task.texts) // 2 if isinstance(task, tasks.StsTask) else len(task.texts)
    if n >= size or isinstance(task, tasks.ClassifyTask):
        return task
    keep = np.linspace(0, size - 1, n).astype(int)

    def take(values: Sequence[str]) -> tuple[str, ...]:
        return tuple(values[i] for i in keep) if values else ()

    if isinstance(task, tasks.StsTask):
        left, right, subsets = take(task.left), take(task.right), take(task.subsets)
        return replace(task, left=left, right=right, scores=task.scores[keep], subsets=subsets)
    return replace(task, texts=take(task.texts), labels=task.labels[keep])


def choose_layers(bench: Bench, kept: Scores, dev: Subject) -> dict[tuple[Way, str], int]:
    """The best layer of each way on dev, with each shaping."""
    every = list(range(1, bench.model.n_layers + 1))
    found: dict[tuple[Way, str], dict[int, float]] = {}
    for way, layer, make in bench.of_ways(dev, WAYS, dict.fromkeys(prompts(), every)):
        for shaping in SHAPINGS:
            found.setdefault((way, shaping), {})[layer] = kept.of(dev, way, layer, shaping, make)
    print(f"\n| {dev.label} | shaping | last layer | best layer | its number |\n" + "|---" * 5 + "|")
    for (way, shaping), by_layer in found.items():
        best = max(by_layer, key=by_layer.__getitem__)
        print(f"| {way.name} | {shaping} | {by_layer[every[-1]]:.1f} | {by_layer[best]:.1f} | {best} |", flush=True)
    return {key: max(by_layer, key=by_layer.__getitem__) for key, by_layer in found.items()}


def score_subject(
    bench: Bench, kept: Scores, subject: Subject, chosen: dict[tuple[Way, str], int], ways: Sequence[Way]
) -> dict[tuple[str, Way, str], float]:
    """By "last" or "chosen", way and shaping."""
    last = bench.model.n_layers
    layers: dict[str | None, list[int]] = {
        p: sorted({last} | {layer for (way, _), layer in chosen.items() if p in way.prompts}) for p in prompts()
    }
    found: dict[tuple[str, Way, str], float] = {}
    for way, layer, make in bench.of_ways(subject, ways, layers | {"meta": [last]}):
        for shaping in subject.shapings:
            if layer == last:
                found[LAST, way, shaping] = kept.of(subject, way, layer, shaping, make)
            if chosen.get((way, shaping)) == layer and not isinstance(subject.task, tasks.ClassifyTask):
                found["chosen", way, shaping] = kept.of(subject, way, layer, shaping, make)
    return found


def prompts() -> list[str | None]:
    return list(dict.fromkeys(prompt for way in WAYS for prompt in way.prompts))


def ways_of(subject: Subject, meta: str, no_echo: str) -> list[Way]:
    """All but those that take long, where they are not wanted."""
    ways = [way for way in WAYS if "echo" not in way.prompts or subject.name not in no_echo.split(",")]
    return [*ways, META] if subject.name in meta.split(",") else ways


def print_tables(found: dict[Subject, dict[tuple[str, Way, str], float]]) -> None:
    for which in (LAST, "chosen"):
        for shaping in SHAPINGS:
            print(
                f"\n| {which} layer, {shaping} | {' | '.join(s.label for s in found)} |\n"
                + "|---" * (len(found) + 1)
                + "|"
            )
            for way in [*WAYS, META]:
                cells = [by.get((which, way, shaping)) for by in found.values()]
                if any(cell is not None for cell in cells):
                    shown = " | ".join("" if cell is None else f"{cell:.1f}" for cell in cells)
                    print(f"| {way.name} | {shown} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("kept", type=Path)
    parser.add_argument("--tasks", default="STS-B,STS13,STS12,SICK-R,STS15,STS14,TREC,tweet,MR,agnews")
    parser.add_argument("--dev-rows", type=int, help="rows of STS-B dev, evenly spaced; default: all")
    parser.add_argument("--meta", default="STS-B", help="tasks on which the eight prompts of meta are run too")
    parser.add_argument("--no-echo", default="", help="tasks on which echo, which takes twice as long, is not run")
    parser.add_argument("--precision", default="float32", help="what is multiplied: float32 or bfloat16")
    given = parser.parse_args()
    given.kept.mkdir(parents=True, exist_ok=True)
    bench = Bench(Transformer(given.model, precision=given.precision), given.kept)
    kept = Scores(given.kept / "scores.jsonl")
    dev = Subject.of(given.data, f"STS-B={given.dev_rows}" if given.dev_rows else "STS-B", "dev")
    chosen = choose_layers(bench, kept, dev)
    found = {}
    for selection in given.tasks.split(","):
        subject = Subject.of(given.data, selection)
        found[subject] = score_subject(bench, kept, subject, chosen, ways_of(subject, given.meta, given.no_echo))
        print_tables({subject: found[subject]})
    print_tables(found)


if __name__ == "__main__":
    main()
