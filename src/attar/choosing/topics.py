"""The topics: short texts of several genres written for this package, a few on each topic."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from attar.choosing.probe import TIE
from attar.types import Doubles, Floats, Ints


@dataclass(frozen=True)
class Topics:
    """Texts, each with its genre and its topic; topics of different genres are different."""

    texts: tuple[str, ...]
    genres: Ints  # (N,)
    topics: Ints  # (N,)

    def scores(self, units: Floats) -> Doubles:
        """How often a text of the same topic is nearer than one of another topic of the genre, for every text.

        Ties count one half. Shape: (N, D) of length 1 -> (N,), from 0 to 1
        """
        cosines = np.asarray(units, dtype=np.float64) @ np.asarray(units, dtype=np.float64).T
        found = np.empty(len(units))
        for i, row in enumerate(cosines):
            same = self.topics == self.topics[i]
            near, far = row[same & (np.arange(len(row)) != i)], row[(self.genres == self.genres[i]) & ~same]
            found[i] = ((near[:, None] > far).mean() + (near[:, None] >= far).mean()) / 2
        return found

    def chances_better(self, scores: Doubles, than: int, resamples: int = 500) -> Doubles:
        """In what share of resamples of topics each row of scores has a higher mean than one of them.

        Rows that are as good count one half. Shape: (R, N) -> (R,)
        """
        rng = np.random.default_rng(0)
        n = int(self.topics.max()) + 1
        by_topic = np.stack([scores[:, self.topics == topic].mean(axis=1) for topic in range(n)])  # (topics, R)
        drawn = np.stack([np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(resamples)])
        lead = drawn @ (by_topic - by_topic[:, [than]]) / n
        shares: Doubles = ((lead > TIE).mean(axis=0) + (lead >= -TIE).mean(axis=0)) / 2
        return shares


@cache
def read_topics() -> Topics:
    """The topics of the package."""
    table = files("attar").joinpath("resources/topics.tsv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE))
    genres = {name: i for i, name in enumerate(dict.fromkeys(row["genre"] for row in rows))}
    topics = {key: i for i, key in enumerate(dict.fromkeys((row["genre"], row["topic"]) for row in rows))}
    return Topics(
        tuple(row["text"] for row in rows),
        np.array([genres[row["genre"]] for row in rows]),
        np.array([topics[row["genre"], row["topic"]] for row in rows]),
    )
