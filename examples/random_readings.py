"""How the paper may have read Wikitext-2: readings of it, judged by the column of random embeddings.

    python examples/random_readings.py TOKENIZER_FOLDER DATA_FOLDER [--draws 40] [--paired 5]

All rows of that column share one draw of random vectors. So the rows that need no Wikitext-2 (mean, idf of the task,
debiased) tell which draw the paper had, and what its idf of Wikitext-2 should have given: a regression over our draws,
task by task, of (none, z-score) on (none, z-score) of those rows. It leaves a spread of 0.1, a third of that between
draws. DATA_FOLDER holds six STS tasks, wikitext-2.train.txt, and enwiki-featured.txt or another corpus (--words) whose
words stand in for `<unk>`. It prints a table: one half of the tasks is to choose by, the other to confirm.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt
from random_embeddings import KEPT, WIKITEXT
from scipy.stats import chi2

from attar import Random, Table, tasks, weights
from attar.io.unpacked import open_data
from attar.pooling import pool_texts
from attar.scores.correlation import spearman
from attar.scores.sts import cosines
from attar.shapers import ZScore
from attar.tasks import published
from attar.tokens.sentences import sentences_of
from attar.types import Floats

Doubles = npt.NDArray[np.float64]
Formula = Callable[[int, Doubles], Doubles]

CHOOSE, CONFIRM = ("STS12", "STS14", "SICK-R"), ("STS13", "STS15", "STS-B")
GIVEN = ("mean", "idf-target", "debiased")
POSTPROCESSES = ("none", "zscore")
ROUNDING = 0.1**2 / 12  # variance of a score printed with one digit
_HEADING = re.compile(r"=+ .* =+")
_WORD = re.compile(r"[^\W\d_]{2,}")


class Variant(weights.Idf):
    """Idf by another formula of the number of documents and of those that show a token."""

    formula: Formula

    @property
    def idf_(self) -> Floats:
        frequency = self.document_frequency_.astype(np.float64)
        return np.maximum(self.formula(int(self.n_documents_[0]), frequency), 0).astype(np.float32)


FORMULAS: dict[str, Formula] = {
    "a token never seen: 0": lambda n, df: np.where(df > 0, np.log(n / np.maximum(df, 1)), 0),
    "a token never seen: ln(N / 0.5)": lambda n, df: np.log(n / np.maximum(df, 0.5)),
    "a token never seen: ln(N / 0.05)": lambda n, df: np.log(n / np.maximum(df, 0.05)),
    "ln(N / (df + 1))": lambda n, df: np.log(n / (df + 1)),
    "ln(N / df) + 1": lambda n, df: np.log(n / np.maximum(df, 1)) + 1,
    "ln((1 + N) / (1 + df)) + 1": lambda n, df: np.log((1 + n) / (1 + df)) + 1,
    "ln(N / df) - 0.6": lambda n, df: np.log(n / np.maximum(df, 1)) - 0.6,
}


def documents(lines: Sequence[str]) -> dict[str, list[str]]:
    """What a document of Wikitext-2 may be."""
    stripped = [line.strip() for line in lines]
    full = [line for line in stripped if line]
    sentences = list(sentences_of(lines))
    return {
        "sentences": sentences,
        "two sentences": [" ".join(sentences[at : at + 2]) for at in range(0, len(sentences), 2)],
        "lines": stripped,
        "lines that are not empty": full,
        "lines of 10 characters": [line for line in full if len(line) >= 10],
        "paragraphs": [line for line in full if not _HEADING.fullmatch(line)],
    }


def filled(lines: Sequence[str], corpus: Iterable[str], seed: int = 0) -> list[str]:
    """The lines with each `<unk>` replaced by a word of the corpus that they lack, as often as it stands there."""
    known = {word for line in lines for word in line.split()}
    counts = Counter(word for text in corpus for word in _WORD.findall(text) if word not in known)
    words = list(counts)
    share = np.array(list(counts.values()), dtype=np.float64)
    n = sum(line.split().count("<unk>") for line in lines)
    drawn = iter(np.random.default_rng(seed).choice(len(words), n, p=share / share.sum()))
    return [" ".join(words[next(drawn)] if w == "<unk>" else w for w in line.split(" ")) for line in lines]


def surprise(given: Doubles, ours: Doubles, paper_given: Doubles, paper: Doubles) -> tuple[Doubles, Doubles]:
    """(ours - paper's, its covariance), where ours is what the draws predict from what is given of the paper.

    Shapes: given (draws, G), ours (draws, K), paper_given (G,), paper (K,); (K,), (K, K)
    """
    design = np.column_stack([np.ones(len(given)), given])
    at = np.concatenate([[1.0], paper_given])
    slopes, *_ = np.linalg.lstsq(design, ours, rcond=None)
    rest = ours - design @ slopes
    covariance = rest.T @ rest / (len(design) - design.shape[1])
    leverage = at @ np.linalg.solve(design.T @ design, at)
    return at @ slopes - paper, covariance * (1 + leverage) + ROUNDING * np.eye(len(paper))


def own_surprises(given: Doubles, ours: Doubles) -> Doubles:
    """chi2 of each draw, as printed with one digit, against all others. Shapes: (draws, G), (draws, K); (draws,)"""
    found = []
    for draw in range(len(ours)):
        others = np.arange(len(ours)) != draw
        off, covariance = surprise(given[others], ours[others], given[draw].round(1), ours[draw].round(1))
        found.append(float(off @ np.linalg.solve(covariance, off)))
    return np.array(found)


def scores(table: Table, task: tasks.StsTask, weightings: Sequence[weights.Weighting]) -> Doubles:
    """Of each weighting, of POSTPROCESSES, from 0 to 100. Shape: (W, 2)"""
    n = len(task.left)
    pooled = pool_texts(table, task.texts, list(weightings), [1]).vectors[:, :, 0]
    both = [(vectors, ZScore().fit_transform(vectors)) for vectors in pooled]
    return np.array([[100 * spearman(cosines(v[:n], v[n:]), task.scores) for v in pair] for pair in both])


def given_weightings(random: Random, task: tasks.StsTask) -> list[weights.Weighting]:
    """Of GIVEN, with the 33 frequent tokens of the report."""
    tokens = random.tokenize(task.texts)
    fitted = [weights.parse(name).fit(tokens, random.vocabulary) for name in ("mean", "idf", "debiased")]
    fitted[-1].keep_[np.isin(random.vocabulary.pieces, KEPT)] = 1
    return fitted


def readings(random: Random, lines: Sequence[str], corpus: Iterable[str]) -> dict[str, weights.Idf]:
    """The first is that of the report."""
    found: dict[str, weights.Idf] = {}
    for start, text in (("", lines), ("words for <unk>, ", filled(lines, corpus))):
        for name, texts in documents(text).items():
            found[start + name] = weights.Idf().fit(random.tokenize(texts), random.vocabulary)
        for name, formula in FORMULAS.items():
            variant = Variant()
            variant.formula = formula
            variant.set_state(found[start + "sentences"].state())
            found[f"{start}sentences, {name}"] = variant
    return found


def printed(task: str, aggregations: Sequence[str]) -> Doubles:
    values = [published.score(task, "RE", a, p) for a in aggregations for p in POSTPROCESSES]
    return np.array(values, dtype=np.float64)


def _split(draws: Sequence[Doubles]) -> tuple[Doubles, Doubles]:
    """What GIVEN scored, and the first reading. Shapes: (draws, 6), (draws, 2)"""
    return np.array([draw[: len(GIVEN)].ravel() for draw in draws]), np.array([draw[len(GIVEN)] for draw in draws])


def _lines(folder: str, name: str) -> list[str]:
    path = next((p for p in (Path(folder, name), Path(folder, name + ".gz")) if p.exists()), Path(folder, name))
    with open_data(path) as file:
        return [line.decode("utf-8").rstrip("\n") for line in file]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tokenizer")
    parser.add_argument("data")
    parser.add_argument("--draws", type=int, default=40, help="for the regression, with the first reading")
    parser.add_argument("--paired", type=int, default=5, help="of these, for what another reading changes")
    parser.add_argument("--words", default="enwiki-featured.txt", help="corpus in DATA_FOLDER")
    given = parser.parse_args()
    plain = Random(given.tokenizer)
    corpus = islice(_lines(given.data, given.words), 0, None, 4)
    fitted = readings(plain, _lines(given.data, WIKITEXT), corpus)
    loaded = {name: cast(tasks.StsTask, tasks.load(name, given.data)) for name in (*CHOOSE, *CONFIRM)}
    known = {name: given_weightings(plain, task) for name, task in loaded.items()}
    rows: dict[str, list[Doubles]] = {name: [] for name in loaded}
    for seed in range(given.draws):
        random = Random(given.tokenizer, seed=seed)
        table = Table(random.vectors(np.arange(len(random.vocabulary))), random.tokenizer.backend)
        wanted = list(fitted.values())[: None if seed < given.paired else 1]
        for name, task in loaded.items():
            rows[name].append(scores(table, task, [*known[name], *wanted]))
        print(f"draw {seed + 1} of {given.draws}", flush=True)
    own = sum(own_surprises(*_split(found)) for found in rows.values())
    print(f"\nchi2 of our own draws over all tasks: median {np.median(own):.1f}, most {np.max(own):.1f}")
    print("\n| reading | chi2 to choose by | to confirm | " + " | ".join(loaded) + " |")
    print("|---" * (3 + len(loaded)) + "|")
    for place, reading in enumerate(fitted, len(GIVEN)):
        totals, shown = {CHOOSE: 0.0, CONFIRM: 0.0}, []
        for name, found in rows.items():
            off, covariance = surprise(*_split(found), printed(name, GIVEN), printed(name, ["idf-background"]))
            off = off + np.mean([draw[place] - draw[len(GIVEN)] for draw in found[: given.paired]], axis=0)
            totals[CHOOSE if name in CHOOSE else CONFIRM] += float(off @ np.linalg.solve(covariance, off))
            shown.append(f"{off[0]:+.2f}, {off[1]:+.2f}")
        halves = [f"{total:.1f} (p {chi2.sf(total, 6):.1g})" for total in totals.values()]
        print(f"| {reading} | {' | '.join(halves)} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
