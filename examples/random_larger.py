"""Does a larger sample of the same kind of articles explain the one row of random embeddings that does not fit?

    python examples/random_larger.py TOKENIZER_FOLDER DATA_FOLDER [--draws 24] [--cells 10] [--others FILE]

`random_articles.py` shows that the idf of Wikitext-2 would fit if the paper had counted more articles of the same kind.
Here other articles are added, each as often as it is like those of Wikitext-2: a logistic regression on what MiniLM
makes of three pieces of an article, and on its length, tells the two sets apart, and the odds of an article's being one
of Wikitext-2 are its weight (the usual correction of a sample of another kind). No score has a say in the weights.
It prints how far the row is off, and how many of its cells hold.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from typing import cast

import numpy as np
import numpy.typing as npt
from random_articles import Counts, Judge, _cell, articles, evenly
from random_embeddings import WIKITEXT, Background, Vectors, score
from random_readings import CHOOSE, CONFIRM, _lines
from random_report import POSTPROCESSES
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from attar import Embedder, Random, tasks, weights
from attar.tasks import published
from attar.tokens.sentences import sentences_of

Doubles = npt.NDArray[np.float64]

READINGS = ("sentences", "two sentences")
PIECES, LONG = 3, 1000  # pieces of an article that are embedded, and their characters
MOST = 10.0  # times that one article counts
FINE = 16  # idf counts whole documents: shares of one are counted in sixteenths
_SPACED = {
    "<unk> ": "",
    " @-@ ": "-",
    " @,@ ": ",",
    " @.@ ": ".",
    " ,": ",",
    " .": ".",
    "( ": "(",
    " )": ")",
    " 's": "'s",
}


def running_text(article: Sequence[str]) -> str:
    """Its paragraphs without headings and without the spaces that Wikitext puts around signs."""
    text = " ".join(line.strip() for line in article if line.strip() and not line.strip().startswith("="))
    for spaced, usual in _SPACED.items():
        text = text.replace(spaced, usual)
    return text


def features(every: Sequence[Sequence[str]], embedder: Embedder) -> Doubles:
    """Of each article: the direction of the mean of its pieces, and the logarithm of its words. Shape: (A, D + 2)"""
    texts = [running_text(article) for article in every]
    pieces = [text[len(text) * i // PIECES :][:LONG] for text in texts for i in range(PIECES)]
    vectors = embedder.encode(pieces, normalize_embeddings=True).reshape(len(texts), PIECES, -1).mean(axis=1)
    length = np.log([max(len(text.split()), 1) for text in texts]) / 4  # of the order of the rest
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.column_stack([directions, length, length**2]).astype(np.float64)


def likeness(own: Doubles, others: Doubles) -> Doubles:
    """How often each of the others counts: its odds of being one of ours, judged without it. Shape: (others,)"""
    known = np.repeat([1, 0], [len(own), len(others)])
    model = LogisticRegression(C=3.0, max_iter=3000)
    chance = cross_val_predict(model, np.concatenate([own, others]), known, cv=10, method="predict_proba")[
        len(own) :, 1
    ]
    odds: Doubles = np.minimum(chance / (1 - chance) * len(others) / len(own), MOST)
    return odds


def counted(*parts: tuple[Counts, Doubles]) -> weights.Idf:
    """Idf of several sets of articles together, each article so many times; a token never seen counts as seen once."""
    shown = sum(counts.seen.T @ times for counts, times in parts)
    n = sum(float(counts.n_documents @ times) for counts, times in parts)
    found = weights.Idf()
    documents = np.maximum(np.round(FINE * np.asarray(shown)), FINE).astype(np.int64)
    found.set_state({"document_frequency": documents, "n_documents": np.array([round(FINE * n)], dtype=np.int64)})
    return found


def print_judged(judge: Judge, loaded: Sequence[str], names: Sequence[str]) -> None:
    print(f"\n| counted on | to choose by | to confirm | {' | '.join(loaded)} |\n{'|---' * (3 + len(loaded))}|")
    for place, name in enumerate(names):
        found = {task: judge.off(task, place) for task in loaded}
        shown = [f"{off[0]:+.2f}, {off[1]:+.2f}" for off, _ in found.values()]
        totals = []
        for half in (CHOOSE, CONFIRM):
            total = sum(float(found[task][0] @ np.linalg.solve(found[task][1], found[task][0])) for task in half)
            totals.append(f"{total:.1f} (p {chi2.sf(total, 2 * len(half)):.1g})")
        print(f"| {name} | {' | '.join([*totals, *shown])} |", flush=True)


def print_cells(
    tokenizer: str, loaded: dict[str, tasks.StsTask], wanted: dict[str, weights.Weighting], shaping: list[str], n: int
) -> None:
    """Of n draws. The other rows of the column are those of random_embeddings.py, which has the same draws."""
    found: dict[str, dict[tuple[str, str], list[float]]] = {name: defaultdict(list) for name in wanted}
    cells = {
        task: [p for p in POSTPROCESSES if published.score(task, "RE", "idf-background", p) is not None]
        for task in loaded
    }
    for seed in range(n):
        vectors = Vectors(Random(tokenizer, seed=seed), Background(wanted, shaping))
        for task_name, task in loaded.items():
            for name, postprocess, shaped in vectors.shaped(task.texts, product(wanted, cells[task_name])):
                found[name][task_name, postprocess].append(score(shaped, task, 1, seed))
    print("\n| counted on | cells that hold | cells that do not |\n|---|---|---|")
    for name, by_cell in found.items():
        held = [key for key, values in by_cell.items() if _cell(key[0], "idf-background", key[1], values).reproduced]
        missed = ", ".join(f"{task} {postprocess}" for task, postprocess in by_cell if (task, postprocess) not in held)
        print(f"| {name} | {len(held)} of {len(by_cell)} | {missed} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tokenizer")
    parser.add_argument("data")
    parser.add_argument("--draws", type=int, default=24, help="for the regression")
    parser.add_argument("--cells", type=int, default=10, help="draws for the cells")
    parser.add_argument("--others", default="enwiki-featured.txt", help="corpus in DATA_FOLDER, with titles")
    given = parser.parse_args()
    plain, embedder = Random(given.tokenizer), Embedder()
    own, others = (articles(_lines(given.data, name)) for name in (WIKITEXT, given.others))
    times = likeness(features(own, embedder), features(others, embedder))
    print(f"{len(own)} articles, {len(others)} others that count as {times.sum():.0f}", flush=True)
    print(f"(as good as {times.sum() ** 2 / (times**2).sum():.0f} that count alike)", flush=True)
    wanted: dict[str, weights.Weighting] = {}
    for reading in READINGS:
        mine, theirs = (Counts.of(plain, every, reading) for every in (own, others))
        once, alike = np.ones(len(own)), np.ones(len(others))
        wanted[f"{reading}, Wikitext-2"] = counted((mine, once))
        wanted[f"{reading}, the others, all alike"] = counted((theirs, alike))
        wanted[f"{reading}, the others by likeness"] = counted((theirs, times))
        wanted[f"{reading}, both"] = counted((mine, once), (theirs, times))
    loaded = {name: cast(tasks.StsTask, tasks.load(name, given.data)) for name in (*CHOOSE, *CONFIRM)}
    judge = Judge(given.tokenizer, loaded, cast(list[weights.Idf], list(wanted.values())), given.draws)
    print_judged(judge, list(loaded), list(wanted))
    shaping = evenly([text for article in own for text in sentences_of(article)], 20_000)
    alone = {name: idf for name, idf in wanted.items() if not name.endswith("all alike")}
    print_cells(given.tokenizer, loaded, alone, shaping, given.cells)


if __name__ == "__main__":
    main()
