"""Similarity of two texts without a vector of either: their tokens are matched with each other.

What a vector loses against these is the price of one vector per text. A side is its token vectors (T, D) and weights
(T,) that sum to 1; tokens of weight 0 have no say, but others may be matched to them in `bertscore`, as in the package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attar.types import Doubles, Floats


@dataclass(frozen=True)
class Side:
    """The tokens of a text."""

    vectors: Floats | Doubles  # (T, D)
    weights: Doubles  # (T,)


@dataclass(frozen=True)
class Matching:
    """One way to match tokens, and what it does."""

    similarity: Callable[[Side, Side], float]
    help: str


def bertscore(a: Side, b: Side) -> float:
    """F1 of BERTScore (Zhang et al., 2020): each token with the one most like it on the other side.

    Parameters
    ----------
    a, b : Side
        The two texts.

    Returns
    -------
    float
        From -1 to 1.
    """
    cosines = _unit(a.vectors) @ _unit(b.vectors).T  # (Ta, Tb)
    precision = float(cosines.max(axis=1) @ a.weights)
    recall = float(cosines.max(axis=0) @ b.weights)
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def movers_distance(a: Side, b: Side) -> float:
    """Word mover's distance (Kusner et al., 2015), negated: the least Euclidean way that the weights have to move.

    Parameters
    ----------
    a, b : Side
        The two texts.

    Returns
    -------
    float
        At most 0.
    """
    left, right = _counted(a), _counted(b)
    squares = np.sum(left.vectors**2, axis=1)[:, None] - 2 * left.vectors @ right.vectors.T
    distances = np.sqrt(np.maximum(squares + np.sum(right.vectors**2, axis=1), 0))
    return -_least_cost(left.weights, right.weights, distances)


def rotators_distance(a: Side, b: Side) -> float:
    """Word rotator's distance (Yokoi et al., 2020), negated: angles cost, and long vectors weigh more.

    Parameters
    ----------
    a, b : Side
        The two texts.

    Returns
    -------
    float
        From -2 to 0.
    """
    left, right = _by_length(_counted(a)), _by_length(_counted(b))
    return -_least_cost(left.weights, right.weights, 1 - _unit(left.vectors) @ _unit(right.vectors).T)


# The one table of matchings: names on the command line, and what each does.
MATCHINGS: dict[str, Matching] = {
    "bertscore": Matching(bertscore, "each token with the one most like it (F1)"),
    "wmd": Matching(movers_distance, "word mover's distance"),
    "wrd": Matching(rotators_distance, "word rotator's distance"),
}


def _least_cost(supply: Doubles, demand: Doubles, cost: Doubles) -> float:
    """The optimal transport of one distribution to another, solved exactly. Shape: (n,), (m,), (n, m)"""
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron, vstack

    n, m = cost.shape
    if n == 1 or m == 1:
        return float(np.outer(supply, demand).ravel() @ cost.ravel())
    leaves = kron(eye_array(n), np.ones((1, m)))  # what leaves each token of the one side
    arrives = kron(np.ones((1, n)), eye_array(m))

    limits = np.concatenate([supply, demand[:-1]])  # the last one follows from the others
    found = linprog(cost.ravel(), A_eq=vstack([leaves, arrives]).tocsr()[:-1], b_eq=limits, method="highs")
    return float(found.fun)


def _counted(side: Side) -> Side:
    kept = side.weights > 0
    return Side(side.vectors[kept].astype(np.float64), side.weights[kept].astype(np.float64) / side.weights[kept].sum())


def _by_length(side: Side) -> Side:
    raw = side.weights * np.linalg.norm(side.vectors, axis=1)
    return Side(side.vectors, raw / raw.sum() if raw.any() else side.weights)


def _unit(vectors: Floats | Doubles) -> Doubles:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True).astype(np.float64)
    unit: Doubles = vectors / np.where(lengths > 0, lengths, 1)
    return unit
