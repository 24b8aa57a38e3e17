"""Questions: two pairs of texts each, drawn among the neighbours that the candidates see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import logit
from scipy.stats import rankdata

from attar.choosing.evidence import SignalEvidence
from attar.choosing.rule import log_prior, weigh
from attar.errors import unknown_name
from attar.types import Doubles, Ints

SIMILARITY, CLUSTERING, SEARCH = "similarity", "clustering", "search"
PURPOSES = (SIMILARITY, CLUSTERING, SEARCH)
DRAWN = 1500
SEED = 0
_DRAWS = 4  # times as many are drawn as are kept


@dataclass(frozen=True)
class Questions:
    """Which of two pairs is closer. Texts are rows of the sample; columns are places among the pairs."""

    left: Ints  # (Q, 2) texts
    right: Ints  # (Q, 2) texts; for clustering and search left[:, 0] == right[:, 0]
    columns: Ints  # (Q, 2) of the left and the right pair in `SignalEvidence.pairs`

    def __len__(self) -> int:
        return len(self.left)

    @property
    def about_one_text(self) -> npt.NDArray[np.bool_]:
        """Which questions ask what belongs with one text; the others compare two pairs. Shape: (Q,)"""
        return np.asarray(self.left[:, 0] == self.right[:, 0])

    def log_odds(self, evidence: SignalEvidence) -> tuple[Doubles, Doubles]:
        """How high the left and the right pair rank among all pairs, as log-odds. Shape: (R, Q) each"""
        asked, place = np.unique(self.columns, return_inverse=True)
        place = place.reshape(self.columns.shape)
        n = evidence.cosines.shape[1]
        below = np.stack([np.searchsorted(np.sort(row), row[asked]) for row in evidence.cosines])
        odds: Doubles = logit((below + 0.5) / n)
        return odds[:, place[:, 0]], odds[:, place[:, 1]]

    def leads(self, evidence: SignalEvidence) -> Doubles:
        """How much higher the left pair ranks than the right one among all pairs asked about. Shape: (R, Q), -1 to 1"""
        asked, place = np.unique(self.columns, return_inverse=True)
        place = place.reshape(self.columns.shape)
        cosines = evidence.cosines[:, asked]
        ranks: Doubles = rankdata(cosines, axis=1) / cosines.shape[1]
        return ranks[:, place[:, 0]] - ranks[:, place[:, 1]]


def draw_questions(evidence: SignalEvidence, purpose: str, n: int = DRAWN, seed: int = SEED) -> Questions:
    """Draw questions, each once: two pairs of near texts for similarity, otherwise one text with two others that are
    near to it in the eyes of some candidate.

    Raises
    ------
    InputError
        If the purpose is unknown.
    """
    if purpose not in PURPOSES:
        raise unknown_name("purpose", purpose, PURPOSES)
    rng = np.random.default_rng(seed)
    first, left = _near_pairs(evidence, rng, _DRAWS * n)
    second, right = _near_pairs(evidence, rng, _DRAWS * n, None if purpose == SIMILARITY else first)
    pairs = np.sort(np.stack([first, left, second, right], axis=1).reshape(-1, 2, 2), axis=2)
    columns = columns_of(pairs.reshape(-1, 2), evidence.pairs).reshape(-1, 2)
    fresh = np.unique(np.sort(columns, axis=1), axis=0, return_index=True)[1]
    meant = (columns[:, 0] != columns[:, 1]) & ((first == second) == (purpose != SIMILARITY))
    kept = np.sort(fresh[meant[fresh]])[:n]
    sides = np.stack([first, left], axis=1), np.stack([second, right], axis=1)
    return Questions(sides[0][kept], sides[1][kept], columns[kept])


def _near_pairs(
    evidence: SignalEvidence, rng: np.random.Generator, n: int, texts: Ints | None = None
) -> tuple[Ints, Ints]:
    """Texts and a neighbour of each that some candidate sees: one half as believed in, the other half evenly."""
    lists = evidence.neighbours
    even = evidence.usable / evidence.usable.sum()
    chosen = rng.integers(0, lists.shape[1], n) if texts is None else texts
    recipes = rng.choice(len(even), n, p=(weigh(log_prior(evidence)) + even) / 2)
    return chosen, lists[recipes, chosen, rng.integers(0, lists.shape[2], n)]


def columns_of(pairs: Ints, known: Ints) -> Ints:
    """Where each ascending pair stands among the known ones, all of which are there. Shape: (N, 2), (M, 2) -> (N,)"""
    width = int(known.max()) + 1
    keys = known[:, 0] * width + known[:, 1]
    order = np.argsort(keys)
    return order[np.searchsorted(keys[order], pairs[:, 0] * width + pairs[:, 1])]
