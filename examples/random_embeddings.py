"""Reproduces the paper's column of random embeddings (RE) and writes a report of it.

    python examples/random_embeddings.py TOKENIZER_FOLDER DATA_FOLDER [--output results] [--seeds 10 10 1] [--jobs 2]

TOKENIZER_FOLDER holds the tokenizer of bert-base-uncased (or of a model that shares it), DATA_FOLDER the tasks and
wikitext-2.train.txt. Tasks that are not there are left out and named. It keeps what is done in the file that --draws
names: stop it at any time and run it again to go on; more seeds add to those that are there.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from random_report import AGGREGATIONS, READINGS, Draw, write_report

from attar import Random, Table, shapers, tasks, weights
from attar.errors import DataError
from attar.pooling import pool_texts
from attar.scores import classify, cluster
from attar.scores.correlation import spearman
from attar.scores.sts import cosines
from attar.tasks import published
from attar.tokens import sentences as wikitext
from attar.types import Floats

WIKITEXT = "wikitext-2.train.txt"
KEPT = ("man", "it", "i")  # of the 36 frequent tokens, to leave the 33 of which the paper speaks: inferred


class Setting(NamedTuple):
    """What all draws share."""

    tokenizer: str
    data: str
    runs: int  # of k-means, each the best of 10 starts
    background_texts: int  # sentences of Wikitext-2 that shapers are fitted on; idf counts all of it


class Unit(NamedTuple):
    """One task with one draw of random vectors."""

    seed: int
    task: str


def cells(task: tasks.Task) -> list[tuple[str, str]]:
    """(aggregation, post-processing): those the paper prints for this task, or of which it prints an average."""
    family = [row for row in published.rows() if row.model == "RE" and row.family == task.family]
    found = {(row.aggregation, row.postprocess) for row in family if row.task in (task.name, "average")}
    if task.family == "sts":
        found |= {(reading, p) for reading, like in READINGS.items() for a, p in found if a == like}
    return sorted(found, key=lambda cell: ((*AGGREGATIONS, *READINGS).index(cell[0]), cell[1]))


class Background(NamedTuple):
    """What is taken from Wikitext-2."""

    idf: dict[str, weights.Weighting]  # counted on all its sentences, and on all its lines
    shaping: list[str]  # sentences spread evenly over it

    @classmethod
    def of(cls, random: Random, lines: Sequence[str], sentences: Sequence[str], n_shaping: int) -> Self:
        every = np.linspace(0, len(sentences), min(n_shaping, len(sentences)), endpoint=False)
        documents = {"idf-background": sentences, "idf-lines": lines}
        idf = {name: weights.Idf().fit(random.tokenize(texts), random.vocabulary) for name, texts in documents.items()}
        return cls(idf, [sentences[int(i)] for i in every])


class Vectors:
    """Random vectors of one seed for the whole vocabulary, made once."""

    def __init__(self, random: Random, background: Background) -> None:
        ids = np.arange(len(random.vocabulary))
        self.table = Table(random.vectors(ids), random.tokenizer.backend)
        self.background = background
        self._fitted: dict[tuple[str, str], list[shapers.Shaper]] = {}

    def weighting(self, aggregation: str, texts: tuple[str, ...]) -> weights.Weighting:
        if aggregation in self.background.idf:
            return self.background.idf[aggregation]
        vocabulary = self.table.vocabulary
        fitted = weights.parse(aggregation.partition("-")[0]).fit(self.table.tokenize(texts), vocabulary)
        if isinstance(fitted, weights.Debiased) and aggregation == "debiased":
            fitted.keep_[np.isin(vocabulary.pieces, KEPT)] = 1
        return fitted

    def shaped(self, texts: tuple[str, ...], wanted: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, Floats]]:
        """(aggregation, post-processing, vectors) for all the wanted ones. Shape: vectors (N, D)"""
        wanted = list(wanted)
        weightings = {a: self.weighting(a, texts) for a in dict.fromkeys(a for a, _ in wanted)}
        pooled = pool_texts(self.table, texts, list(weightings.values()), [1]).vectors[:, :, 0]
        by_aggregation = dict(zip(weightings, pooled, strict=True))
        for aggregation, postprocess in wanted:
            vectors = by_aggregation[aggregation]
            if postprocess.endswith("@background"):
                chain = self._fitted_on_background(aggregation, weightings[aggregation], postprocess)
                for shaper in chain:
                    vectors = shaper.transform(vectors)
            else:
                for shaper in shapers.parse(postprocess):
                    vectors = shaper.fit_transform(vectors)
            yield aggregation, postprocess, vectors

    def _fitted_on_background(
        self, aggregation: str, weighting: weights.Weighting, postprocess: str
    ) -> list[shapers.Shaper]:
        if (aggregation, postprocess) in self._fitted:
            return self._fitted[aggregation, postprocess]
        vectors = pool_texts(self.table, self.background.shaping, [weighting], [1]).vectors[0, :, 0]
        chain = [shaper.fit(vectors) for shaper in shapers.parse(postprocess)]
        if aggregation != "idf-target":  # the same for all tasks
            self._fitted[aggregation, postprocess] = chain
        return chain


def score(vectors: Floats, task: tasks.Task, runs: int, seed: int) -> float:
    """From 0 to 100."""
    if isinstance(task, tasks.StsTask):
        n = len(task.left)
        return 100 * spearman(cosines(vectors[:n], vectors[n:]), task.scores)
    if isinstance(task, tasks.ClusterTask):
        return 100 * cluster(vectors, task, runs=runs, seed=seed)["accuracy"]
    return 100 * classify(vectors, task)["accuracy"]


@lru_cache(maxsize=1)
def background_of(setting: Setting) -> Background:
    paths = [Path(setting.data, WIKITEXT + end) for end in ("", ".gz")]
    path = next((path for path in paths if path.exists()), paths[0])
    sentences = list(wikitext.sentences(path))
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    return Background.of(Random(setting.tokenizer), lines, sentences, setting.background_texts)


@lru_cache(maxsize=1)
def vectors_of(setting: Setting, seed: int) -> Vectors:
    return Vectors(Random(setting.tokenizer, seed=seed), background_of(setting))


def draws_of(setting: Setting, unit: Unit, done: frozenset[tuple[str, str]] = frozenset()) -> list[Draw]:
    """All cells of a task with one seed, but those that are done."""
    task = tasks.load(unit.task, setting.data)
    started = time.process_time()
    draws = []
    wanted = [cell for cell in cells(task) if cell not in done]
    for aggregation, postprocess, vectors in vectors_of(setting, unit.seed).shaped(task.texts, wanted):
        value = score(vectors, task, setting.runs, unit.seed)
        runs = setting.runs if isinstance(task, tasks.ClusterTask) else 1
        seconds = time.process_time() - started
        draws.append(Draw(task.family, unit.task, aggregation, postprocess, unit.seed, runs, value, seconds))
        started = time.process_time()
    return draws


def present(data: str) -> list[str]:
    return [finding.task for finding in tasks.check(data) if finding.status == "ok"]


def units(names: Iterable[str], seeds: dict[str, int]) -> list[Unit]:
    """Family by family, and in each seed by seed."""
    found = []
    for family in tasks.FAMILIES:
        members = [name for name in names if tasks.declaration(name).family == family]
        found += [Unit(seed, name) for seed in range(seeds[family]) for name in members]
    return found


def read_draws(path: Path) -> list[Draw]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return [
        Draw(family, task, aggregation, postprocess, int(seed), int(runs), float(score), float(seconds))
        for family, task, aggregation, postprocess, seed, runs, score, seconds in rows
    ]


def add_draws(path: Path, draws: list[Draw]) -> None:
    new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows([Draw._fields] if new else [])
        writer.writerows((*draw[:6], f"{draw.score:.4f}", f"{draw.seconds:.2f}") for draw in draws)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tokenizer")
    parser.add_argument("data")
    parser.add_argument("--output", type=Path, default=Path("results"), help="folder of the report")
    parser.add_argument("--draws", type=Path, default=Path("random-draws.csv"), help="what is done, to go on from")
    parser.add_argument("--seeds", type=int, nargs=3, default=(10, 10, 1), metavar=("STS", "CLUSTERING", "CLASSIFY"))
    parser.add_argument("--runs", type=int, default=1, help="k-means runs on each draw, each the best of 10 starts")
    parser.add_argument("--background-texts", type=int, default=20_000)
    parser.add_argument("--tasks", default="all", help="all, families or names")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    setting = Setting(given.tokenizer, given.data, given.runs, given.background_texts)
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # a job is a core
    here = present(given.data)
    if not here:
        raise DataError(f"no task in {given.data!r}; docs/tasks.md says what files it should hold")
    chosen = [name for name in here if name in tasks.selected(given.tasks)]
    done: dict[Unit, set[tuple[str, str]]] = defaultdict(set)
    for draw in read_draws(given.draws):
        done[Unit(draw.seed, draw.task)].add((draw.aggregation, draw.postprocess))
    all_cells = {name: set(cells(tasks.load(name, given.data))) for name in chosen}
    wanted = units(chosen, dict(zip(tasks.FAMILIES, given.seeds, strict=True)))
    waiting = [unit for unit in wanted if not all_cells[unit.task] <= done[unit]]
    with ProcessPoolExecutor(given.jobs, get_context("spawn")) as pool:
        started = time.perf_counter()
        futures = [pool.submit(draws_of, setting, unit, frozenset(done[unit])) for unit in waiting]
        for n, future in enumerate(as_completed(futures), 1):
            add_draws(given.draws, future.result())
            print(f"{n} of {len(waiting)} after {time.perf_counter() - started:.0f} s", flush=True)
    write_report(given.output, read_draws(given.draws), _command(given))


def _command(given: argparse.Namespace) -> str:
    seeds = " ".join(map(str, given.seeds))
    settings = f"--seeds {seeds} --runs {given.runs} --background-texts {given.background_texts}"
    return f"python examples/random_embeddings.py TOKENIZER_FOLDER DATA_FOLDER {settings}"


if __name__ == "__main__":
    main()
