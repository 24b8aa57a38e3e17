"""`attar index` and `attar search` beside sentence-transformers on paragraphs of Wikipedia, in turns.

    python benchmarks/search.py enwiki-featured.txt.gz [--articles 200] [--paragraphs 10] [--rounds 3]

The file has a line `= Title =` before the paragraphs of each article. Titles are the queries; a hit is a paragraph of
that article. Both run the embedded MiniLM in float32 on the same texts, cut at the same length: Attar writes its index
folder and opens it again, sentence-transformers keeps vectors in memory and asks `util.semantic_search`. Its mean
counts [CLS] and [SEP], Attar's default does not; answers are compared for both means.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

TOP = 10
LEAST = 200  # letters of a paragraph
ONE = 50  # queries that are asked one by one
Search = Callable[[list[str]], list[list[tuple[int, float]]]]  # queries -> (row, cosine) of the nearest


def read_articles(path: Path, n: int, paragraphs: int) -> tuple[list[str], list[str], np.ndarray]:
    """Titles, paragraphs, and the number of each paragraph's article."""
    held: dict[str, list[str]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            title = re.fullmatch(r"= ([^=].*) =", line.strip())
            if title:
                rows = held.setdefault(title[1], [])
            elif len(line) >= LEAST:
                rows.append(line.strip())
    full = [title for title, rows in held.items() if len(rows) >= paragraphs]
    draw = np.random.default_rng(0)
    titles = [full[i] for i in sorted(draw.permutation(len(full))[:n])]
    texts = [held[t][i] for t in titles for i in sorted(draw.permutation(len(held[t]))[:paragraphs])]
    return titles, texts, np.repeat(np.arange(len(titles)), paragraphs)


class Attar:
    def __init__(self, weights: str = "mean") -> None:
        from attar import Embedder

        self.embedder = Embedder(weights=weights, shapers="unit")
        self.embedder.encode(["warm"])
        self.folder = Path(tempfile.mkdtemp()) / "index"

    def index(self, texts: list[str]) -> None:
        from attar.jobs.index import Index

        shutil.rmtree(self.folder, ignore_errors=True)
        Index.build(self.folder, self.embedder, texts)
        self.opened = Index.open(self.folder, encoder=self.embedder.encoder_)

    def search(self, queries: list[str]) -> list[list[tuple[int, float]]]:
        return [[(hit.row, hit.cosine) for hit in hits] for hits in self.opened.search_all(queries, TOP)]


class SentenceTransformers:
    def __init__(self, folder: str, limit: int | None) -> None:
        from sentence_transformers import SentenceTransformer

        self.model = SentenceTransformer(folder, device="cpu")
        self.model.max_seq_length = limit
        self.encode(["warm"])

    def encode(self, texts: list[str]) -> Any:
        return self.model.encode(texts, normalize_embeddings=True, convert_to_tensor=True, show_progress_bar=False)

    def index(self, texts: list[str]) -> None:
        self.vectors = self.encode(texts)

    def search(self, queries: list[str]) -> list[list[tuple[int, float]]]:
        from sentence_transformers import util

        found = util.semantic_search(self.encode(queries), self.vectors, top_k=TOP, score_function=util.dot_score)
        return [[(one["corpus_id"], one["score"]) for one in hits] for hits in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("articles_file", type=Path)
    parser.add_argument("--articles", type=int, default=200)
    parser.add_argument("--paragraphs", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    titles, texts, article = read_articles(given.articles_file, given.articles, given.paragraphs)
    attar = Attar()
    peer = SentenceTransformers(str(attar.embedder.encoder_.folder), attar.embedder.max_seq_length)
    ways: dict[str, Any] = {"attar": attar, "sentence-transformers": peer}
    jobs: dict[str, Callable[[Any], Any]] = {
        "index": lambda way: way.index(texts),
        "all queries": lambda way: way.search(titles),
        "one query": lambda way: [way.search([title]) for title in titles[:ONE]],
    }
    times: dict[tuple[str, str], list[float]] = {(job, way): [] for job in jobs for way in ways}
    for _ in range(given.rounds):
        for job, run in jobs.items():
            for name, way in ways.items():
                started = time.perf_counter()
                run(way)
                times[job, name].append(time.perf_counter() - started)
    words = np.median([len(text.split()) for text in texts])
    print(f"{len(texts):,} paragraphs of {len(titles)} articles, median {words:.0f} words; {len(titles)} queries")
    for (job, name), found in times.items():
        unit, scale = ("ms", 1000 / len(titles[:ONE])) if job == "one query" else ("s", 1.0)
        low, middle, high = (scale * value for value in (min(found), np.median(found), max(found)))
        print(f"  {job:12} {name:22} {middle:7.2f} {unit} ({low:.2f} to {high:.2f})")
    theirs = peer.search(titles)
    alike = Attar("mean+specials")
    alike.index(texts)
    answers = {
        "attar": attar.search(titles),
        "attar, mean+specials": alike.search(titles),
        "sentence-transformers": theirs,
    }
    for name, found in answers.items():
        pairs = list(zip(found, theirs, strict=True))
        same = sum(len({row for row, _ in a} & {row for row, _ in b}) for a, b in pairs)
        first = sum(a[0][0] == b[0][0] for a, b in pairs)
        right = np.mean([article[hits[0][0]] == i for i, hits in enumerate(found)])
        share = np.mean([article[row] == i for i, hits in enumerate(found) for row, _ in hits])
        print(
            f"  {name:22} as the peer: {same} of {TOP * len(titles)} near, {first} of {len(titles)} nearest; "
            f"of the article: {right:.3f} of first hits, {share:.3f} of the nearest {TOP}"
        )


if __name__ == "__main__":
    main()
