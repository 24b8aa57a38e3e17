"""One matrix (or one scale per dim) and one offset; a chain of them is again one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attar.errors import InputError
from attar.shapers.moments import CHUNK, Vectors
from attar.types import Doubles


@dataclass(frozen=True, eq=False)
class Affine:
    """y = x @ matrix + offset; where there is no matrix, y = x * scale + offset. Exactly one of the two is given.

    Parameters
    ----------
    offset : ndarray of float64, of shape (D',)
        What is added.
    matrix : ndarray of float64, of shape (D, D'), optional
        What vectors are multiplied by.
    scale : ndarray of float64, of shape (D,), optional
        One factor per dim instead; then D' = D.

    Raises
    ------
    InputError
        If both or neither of matrix and scale are given, or the shapes do not fit together.
    """

    offset: Doubles  # (D',)
    matrix: Doubles | None = None  # (D, D')
    scale: Doubles | None = None  # (D,), and D' = D

    def __post_init__(self) -> None:
        if (self.matrix is None) == (self.scale is None):
            given = "neither" if self.matrix is None else "both"
            raise InputError(f"an affine map takes a matrix or a scale; {given} was given")
        n_dims = 1 if self.matrix is None else 2
        if self.linear.ndim != n_dims or self.offset.shape != self.linear.shape[-1:]:
            raise InputError(
                f"a {'scale' if self.matrix is None else 'matrix'} of shape {self.linear.shape} and an offset of shape "
                f"{self.offset.shape} do not fit together; allowed: matrix (D, D') with (D',), scale (D,) with (D,)"
            )

    @property
    def linear(self) -> Doubles:
        """What multiplies x: the matrix (D, D') or the scale (D,)."""
        linear = self.scale if self.matrix is None else self.matrix
        assert linear is not None
        return linear

    @property
    def n_in(self) -> int:
        return len(self.linear)

    @property
    def n_out(self) -> int:
        return len(self.offset)

    def dense(self) -> Doubles:
        """As a matrix in any case. Shape: (D, D')"""
        return np.diag(self.linear) if self.matrix is None else self.matrix

    def apply(self, X: Vectors) -> Vectors:
        """Map vectors; computed in float64.

        Parameters
        ----------
        X : ndarray of shape (N, D)
            The vectors, float32 or float64.

        Returns
        -------
        ndarray of shape (N, D')
            The mapped vectors, of the same type as X.

        Raises
        ------
        InputError
            If X has another number of dims.
        """
        if X.ndim != 2 or X.shape[1] != self.n_in:
            raise InputError(f"vectors of shape {X.shape} do not fit: this affine map takes (N, {self.n_in})")
        out = np.empty((len(X), self.n_out), dtype=X.dtype)
        for start in range(0, len(X), CHUNK):
            rows = X[start : start + CHUNK].astype(np.float64)
            out[start : start + CHUNK] = self._linear(rows) + self.offset
        return out

    def then(self, other: Affine) -> Affine:
        """This map followed by another one: x A B + (a B + b).

        Parameters
        ----------
        other : Affine
            Applied to the result of this map.

        Returns
        -------
        Affine
            Both as one map.

        Raises
        ------
        InputError
            If the other map takes another number of dims than this one gives.
        """
        if self.n_out != other.n_in:
            raise InputError(f"a map to {self.n_out} dims can't be followed by one from {other.n_in} dims")
        offset = other._linear(self.offset) + other.offset
        if self.scale is not None and other.scale is not None:
            return Affine(offset, scale=self.scale * other.scale)
        return Affine(offset, matrix=other._linear(self.dense()))

    def _linear(self, x: Doubles) -> Doubles:
        return x * self.linear if self.matrix is None else x @ self.linear
