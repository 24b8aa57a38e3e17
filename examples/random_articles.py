"""Does the choice of articles explain the one row of random embeddings that does not fit, the idf of Wikitext-2?

    python examples/random_articles.py TOKENIZER_FOLDER DATA_FOLDER [--draws 40] [--resamples 100] [--cells 10]

`random_readings.py` shows that no reading of our file gives what the paper's draw should have had. Here the counts come
from articles drawn with replacement from those of the file, as if the paper had counted others of the same kind.
It prints which words decide, how far the row is off when the spread over articles counts, and how many cells of the
column hold where each draw has articles of its own.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple, Self, cast

import numpy as np
import numpy.typing as npt
from random_embeddings import WIKITEXT, Background, Vectors, score
from random_readings import (
    CHOOSE,
    CONFIRM,
    GIVEN,
    Doubles,
    _lines,
    _split,
    documents,
    given_weightings,
    printed,
    scores,
    surprise,
)
from random_report import AGGREGATIONS, POSTPROCESSES, Cell
from scipy.linalg import block_diag
from scipy.sparse import csr_array, vstack
from scipy.stats import chi2

from attar import Random, Table, tasks, weights
from attar.tasks import published
from attar.tokens.sentences import sentences_of

READINGS = ("sentences", "two sentences", "lines that are not empty")
SHARE = 0.5  # added to the weight of one word, to see what the word decides
_TITLE = re.compile(r"= [^=].* =")


def articles(lines: Sequence[str]) -> list[list[str]]:
    """The lines of each article: it begins with ` = Title = `; what stands before the first belongs to no article."""
    found: list[list[str]] = []
    for line in lines:
        if _TITLE.fullmatch(line.strip()) and not line.strip().startswith("= ="):
            found.append([])
        if found:
            found[-1].append(line)
    return found


class Counts(NamedTuple):
    """Of each article, how many of its documents show a token, and how many documents it has."""

    seen: csr_array[np.int64]  # (A, V)
    n_documents: npt.NDArray[np.int64]  # (A,)

    @classmethod
    def of(cls, random: Random, every: Sequence[Sequence[str]], reading: str) -> Self:
        seen, n_documents = [], []
        for article in every:
            texts = documents(article)[reading]
            idf = weights.Idf().fit(random.tokenize(texts), random.vocabulary)
            seen.append(csr_array(idf.document_frequency_[None]))
            n_documents.append(len(texts))
        return cls(vstack(seen, format="csr"), np.array(n_documents, dtype=np.int64))

    def idf(self, times: npt.NDArray[np.int64]) -> weights.Idf:
        """As fitted on each article so many times. Shape: times (A,)"""
        found = weights.Idf()
        found.set_state({"document_frequency": self.seen.T @ times, "n_documents": self.n_documents @ times[:, None]})
        return found

    def whole(self) -> weights.Idf:
        return self.idf(np.ones(len(self.n_documents), dtype=np.int64))


def drawn(n: int, generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """How often each of n articles comes when n are drawn with replacement. Shape: (n,)"""
    return np.bincount(generator.integers(0, n, n), minlength=n)


class Shifted(weights.Idf):
    """Idf with SHARE more for one token."""

    token: int

    @property
    def idf_(self) -> npt.NDArray[np.float32]:
        found = super().idf_
        found[self.token] += np.float32(SHARE)
        return found

    @classmethod
    def of(cls, idf: weights.Idf, token: int) -> Self:
        found = cls()
        found.set_state(idf.state())
        found.token = token
        return found


def judged(found: Sequence[tuple[Doubles, Doubles]], changes: Sequence[Doubles]) -> tuple[float, float]:
    """(chi2 of some tasks together, the same where the spread over resampled articles is added).

    Shapes: found (off (2,), covariance (2, 2)) of each task, changes (resamples, 2) of each task
    """
    off = np.concatenate([one for one, _ in found])
    alone = block_diag(*(covariance for _, covariance in found))
    among = alone + np.cov(np.concatenate(changes, axis=1).T)
    return float(off @ np.linalg.solve(alone, off)), float(off @ np.linalg.solve(among, off))


def deciding(table: Table, loaded: dict[str, tasks.StsTask], idf: weights.Idf, n: int) -> list[tuple[str, Doubles]]:
    """(token, what SHARE more weight for it changes in each task), of the n most frequent, strongest first."""
    share = np.zeros(len(table.vocabulary))
    for task in loaded.values():
        counts = np.bincount(table.tokenize(task.texts).ids, minlength=len(share))
        share += counts / counts.sum()
    tokens = [int(i) for i in np.argsort(-share)[: n + 8] if int(i) not in table.vocabulary.special_ids][:n]
    changed = [scores(table, task, [idf, *(Shifted.of(idf, i) for i in tokens)])[:, 0] for task in loaded.values()]
    by_token = [(table.vocabulary.pieces[i], np.array([c[k] - c[0] for c in changed])) for k, i in enumerate(tokens, 1)]
    return sorted(by_token, key=lambda found: -float(np.abs(found[1]).max()))


def evenly(texts: Sequence[str], n: int) -> list[str]:
    """At most n of them, spread over all."""
    return [texts[int(i)] for i in np.linspace(0, len(texts), min(n, len(texts)), endpoint=False)]


class Judge:
    """What the paper's draw should have had on each task, from draws of ours, beside what it printed."""

    def __init__(self, tokenizer: str, loaded: dict[str, tasks.StsTask], wanted: Sequence[weights.Idf], draws: int):
        plain = Random(tokenizer)
        known = {name: given_weightings(plain, task) for name, task in loaded.items()}
        self.rows: dict[str, list[Doubles]] = {name: [] for name in loaded}
        for seed in range(draws):
            table = table_of(tokenizer, seed)
            for name, task in loaded.items():
                self.rows[name].append(scores(table, task, [*known[name], *wanted]))

    def off(self, task: str, place: int) -> tuple[Doubles, Doubles]:
        """(ours less the paper's, its covariance) of one of the wanted. Shapes: (2,), (2, 2)"""
        draws = [draw[[*range(len(GIVEN)), len(GIVEN) + place]] for draw in self.rows[task]]
        return surprise(*_split(draws), printed(task, GIVEN), printed(task, ["idf-background"]))

    def first_draw(self, task: str, place: int) -> Doubles:
        """Shape: (2,)"""
        found: Doubles = self.rows[task][0][len(GIVEN) + place]
        return found


def table_of(tokenizer: str, seed: int) -> Table:
    random = Random(tokenizer, seed=seed)
    return Table(random.vectors(np.arange(len(random.vocabulary))), random.tokenizer.backend)


def print_words(table: Table, loaded: dict[str, tasks.StsTask], idf: weights.Idf) -> None:
    print(f"\n| {SHARE} more weight for | {' | '.join(loaded)} |\n{'|---' * (1 + len(loaded))}|")
    for token, changes in deciding(table, loaded, idf, 150)[:12]:
        print(f"| {token} | {' | '.join(f'{change:+.2f}' for change in changes)} |", flush=True)


def print_judged(
    judge: Judge, table: Table, loaded: dict[str, tasks.StsTask], counts: dict[str, Counts], resamples: int
) -> None:
    title = "\n| documents | tasks | chi2 | with other articles | ours less the paper's (sd over articles) |\n"
    print(title + "|---" * 5 + "|")
    generator = np.random.default_rng(0)
    for place, (reading, counted) in enumerate(counts.items()):
        resampled = [counted.idf(drawn(len(counted.n_documents), generator)) for _ in range(resamples)]
        found = {name: judge.off(name, place) for name in loaded}
        changes = {}
        for name, task in loaded.items():  # a few at a time: their vectors are held at once
            few = [scores(table, task, resampled[at : at + 10]) for at in range(0, resamples, 10)]
            changes[name] = np.concatenate(few) - judge.first_draw(name, place)
        for some in (CHOOSE, CONFIRM, (*CHOOSE, *CONFIRM)):
            totals = judged([found[name] for name in some], [changes[name] for name in some])
            ends = " | ".join(f"{total:.1f} (p {chi2.sf(total, 2 * len(some)):.1g})" for total in totals)
            shown = ", ".join(f"{name} {found[name][0][0]:+.2f} ({changes[name][:, 0].std():.2f})" for name in some)
            print(f"| {reading} | {len(some)} | {ends} | {shown} |", flush=True)


def print_cells(
    tokenizer: str,
    loaded: dict[str, tasks.StsTask],
    counts: dict[str, Counts],
    every: Sequence[Sequence[str]],
    draws: int,
) -> None:
    title = f"\n| documents | articles | cells that hold | {' | '.join(AGGREGATIONS)} |\n"
    print(title + "|---" * (3 + len(AGGREGATIONS)) + "|")
    by_article = [list(sentences_of(article)) for article in every]
    generator = np.random.default_rng(0)
    for reading, own in product(counts, (False, True)):
        found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
        for seed in range(draws):
            times = drawn(len(every), generator) if own else np.ones(len(every), dtype=np.int64)
            sentences = [text for texts, n in zip(by_article, times, strict=True) for text in texts * n]
            background = Background({"idf-background": counts[reading].idf(times)}, evenly(sentences, 20_000))
            vectors = Vectors(Random(tokenizer, seed=seed), background)
            for name, task in loaded.items():
                wanted = [key for key in product(AGGREGATIONS, POSTPROCESSES) if published.score(name, "RE", *key)]
                for aggregation, postprocess, shaped in vectors.shaped(task.texts, wanted):
                    found[name, aggregation, postprocess].append(score(shaped, task, 1, seed))
        held = Counter(key[1] for key, values in found.items() if _cell(*key, values).reproduced)
        rows = Counter(key[1] for key in found)
        shown = [f"{held[row]} of {rows[row]}" for row in AGGREGATIONS]
        articles_of = "each draw's own" if own else "the file's"
        print(f"| {reading} | {articles_of} | {held.total()} of {rows.total()} | {' | '.join(shown)} |", flush=True)


def _cell(task: str, aggregation: str, postprocess: str, values: Sequence[float]) -> Cell:
    known = published.score(task, "RE", aggregation, postprocess)
    return Cell("sts", task, aggregation, postprocess, tuple(values), known)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tokenizer")
    parser.add_argument("data")
    parser.add_argument("--draws", type=int, default=40, help="for the regression")
    parser.add_argument("--resamples", type=int, default=100, help="of the articles")
    parser.add_argument("--cells", type=int, default=10, help="draws with articles of their own, for the cells")
    given = parser.parse_args()
    plain, first = Random(given.tokenizer), table_of(given.tokenizer, 0)
    lines = _lines(given.data, WIKITEXT)
    every = articles(lines)
    loaded = {name: cast(tasks.StsTask, tasks.load(name, given.data)) for name in (*CHOOSE, *CONFIRM)}
    counts = {reading: Counts.of(plain, every, reading) for reading in READINGS}
    whole = [counted.whole() for counted in counts.values()]
    print(f"{len(every)} articles", flush=True)
    judge = Judge(given.tokenizer, loaded, whole, given.draws)
    print_words(first, loaded, whole[-1])
    print_judged(judge, first, loaded, counts, given.resamples)
    print_cells(given.tokenizer, loaded, counts, every, given.cells)


if __name__ == "__main__":
    main()
