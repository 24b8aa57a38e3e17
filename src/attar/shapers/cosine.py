"""The cosine of vectors: of each with each, or of pairs. With a zero vector it is 0."""

from __future__ import annotations

import numpy as np

from attar.shapers.moments import Vectors
from attar.shapers.unit import Unit
from attar.types import Doubles, Floats


def cosines(a: Vectors, b: Vectors) -> Floats:
    """Cosine of every row of a with every row of b.

    Parameters
    ----------
    a, b : ndarray of shape (N, D) and (M, D)

    Returns
    -------
    ndarray of float32, of shape (N, M)
    """
    return np.asarray(Unit().transform(a) @ Unit().transform(b).T, dtype=np.float32)


def paired_cosines(left: Vectors, right: Vectors) -> Doubles:
    """Cosine of each row of one with its counterpart in the other, computed in float64.

    Parameters
    ----------
    left, right : ndarray of shape (N, D)

    Returns
    -------
    ndarray of float64, of shape (N,)
    """
    products = np.einsum("nd,nd->n", left, right, dtype=np.float64)
    lengths = _lengths(left) * _lengths(right)
    found: Doubles = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return found


def _lengths(rows: Vectors) -> Doubles:
    lengths: Doubles = np.sqrt(np.einsum("nd,nd->n", rows, rows, dtype=np.float64))
    return lengths
