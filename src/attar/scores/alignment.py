"""Alignment and uniformity of Wang and Isola: lower is better for both.

They are defined for unit vectors, so vectors are scaled to length 1 first, as is usual; `unit=False` leaves them
as they are, which is how the paper printed its figure (and why it found both to depend on the scale).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attar.errors import DataError, InputError
from attar.scores.rows import Rows, check_length, checked_rows, rows_of_task
from attar.tasks.types import StsTask
from attar.types import Doubles, Floats

BLOCK = 2048  # rows and columns of one piece of the table of distances


def alignment(vectors: npt.ArrayLike, task: StsTask, score: float = 5.0, unit: bool = True) -> float:
    """Mean squared distance between the sides of pairs that mean the same; lower is better.

    Parameters
    ----------
    vectors : array of shape (2 N, D)
        All left sides of the N pairs, then all right ones, as `task.texts`.
    task : StsTask
        The pairs and their scores.
    score : float
        Pairs with at least this score mean the same.
    unit : bool
        Scale vectors to length 1 first.

    Returns
    -------
    float
        From 0 up; up to 4 for unit vectors.

    Raises
    ------
    DataError
        If no pair has such a score.
    InputError
        If the vectors do not fit the task, or are not finite.
    """
    n_pairs = len(task.left)
    check_length(task.name, "right sides", len(task.right), n_pairs)
    check_length(task.name, "scores", len(task.scores), n_pairs)
    rows = rows_of_task(vectors, task.name, 2 * n_pairs)
    same = np.flatnonzero(task.scores >= score)
    if not len(same):
        highest = f"its highest is {task.scores.max():g}" if n_pairs else "it has none"
        raise DataError(f"no pair of {task.name} has a score of {score:g} or more ({highest}): pass a lower score=")
    left, right = _scaled(rows[same], unit), _scaled(rows[same + n_pairs], unit)
    return float(np.mean(np.sum((left - right) ** 2, axis=1)))


def uniformity(vectors: npt.ArrayLike, unit: bool = True) -> float:
    """log of the mean of exp(-2 |x - y|^2) over all pairs of two different rows; lower is better.

    Parameters
    ----------
    vectors : array of shape (N, D)
        At least two vectors.
    unit : bool
        Scale vectors to length 1 first.

    Returns
    -------
    float
        At most 0; 0 if all vectors are equal.

    Raises
    ------
    InputError
        If there are fewer than two vectors, or they are not finite.
    """
    scaled = _scaled(checked_rows(vectors), unit)
    n_rows = len(scaled)
    if n_rows < 2:
        raise InputError("uniformity is about pairs of vectors; only 1 was given: pass at least 2")
    rows = (scaled - scaled.mean(axis=0)).astype(np.float32)  # distances stay, rounding shrinks
    squares = np.einsum("nd,nd->n", rows, rows)
    log_sums = []  # of each block; their logarithms, for exp(-2 d^2) of long vectors is 0 in any precision
    for i in range(0, n_rows, BLOCK):
        for j in range(i, n_rows, BLOCK):
            exponents = rows[i : i + BLOCK] @ rows[j : j + BLOCK].T
            exponents *= 2
            exponents -= squares[i : i + BLOCK, None]
            exponents -= squares[j : j + BLOCK]
            np.minimum(exponents, 0, out=exponents)
            if i == j:
                exponents = exponents[np.triu_indices(len(exponents), k=1)]
            if exponents.size:
                log_sums.append(_log_sum(2 * exponents))
    return _log_sum(np.array(log_sums)) - float(np.log(n_rows * (n_rows - 1) / 2))


def _log_sum(exponents: Floats | Doubles) -> float:
    """log of the sum of exp, shifted so that the largest term is 1."""
    largest = exponents.max()
    return float(largest + np.log(np.exp(exponents - largest).sum(dtype=np.float64)))


def _scaled(rows: Rows, unit: bool) -> Doubles:
    scaled = rows.astype(np.float64)
    if unit:
        lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
        scaled /= np.where(lengths > 0, lengths, 1)
    return scaled
