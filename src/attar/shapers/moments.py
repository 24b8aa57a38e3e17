"""Count, mean and scatter of vectors: sums that merge, so that shards can be counted apart and joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attar.engine.scatter import block_sums
from attar.errors import InputError
from attar.types import Doubles

Vectors = npt.NDArray[np.floating[Any]]  # (N, D), float32 or float64

CHUNK = 2048  # rows turned to float64, or multiplied, at a time
SMALL = 1e-25  # of variances: squares of much smaller numbers are not float32


@dataclass(frozen=True, eq=False)
class Moments:
    """n vectors, their mean and their scatter, the sum of (x - mean)(x - mean)^T over all x.

    Where only variances are needed the scatter may be its diagonal alone, which is many times cheaper.

    Parameters
    ----------
    n : int
        The number of vectors.
    mean : ndarray of float64, of shape (D,)
        Their mean.
    scatter : ndarray of float64, of shape (D, D) or (D,)
        Their scatter, or its diagonal.
    rounded : bool
        Whether products were of float32, so that the scatter is off by up to 1e-8 of its greatest variance.

    Raises
    ------
    InputError
        If the shapes do not fit together.
    """

    n: int
    mean: Doubles  # (D,)
    scatter: Doubles  # (D, D), or (D,) where only the diagonal is kept
    rounded: bool = False  # products were of float32: the scatter is off by up to 1e-8 of its greatest variance

    def __post_init__(self) -> None:
        d = len(self.mean)
        if self.mean.shape != (d,) or self.scatter.shape not in {(d, d), (d,)}:
            raise InputError(
                f"a mean of shape {self.mean.shape} and a scatter of shape {self.scatter.shape} do not fit together; "
                f"allowed: (D,) with (D, D) or (D,)"
            )

    @classmethod
    def of(cls, X: Vectors, *, diagonal: bool = False) -> Moments:
        """Compute the moments of the rows of X in float64, a chunk of rows at a time.

        Parameters
        ----------
        X : ndarray of shape (N, D)
            The vectors; no rows give n = 0 and zeros.
        diagonal : bool
            Keep only the diagonal of the scatter.

        Returns
        -------
        Moments
            Of all rows.
        """
        total = _of_chunk(X[:CHUNK], diagonal)
        for start in range(CHUNK, len(X), CHUNK):
            total = total.merge(_of_chunk(X[start : start + CHUNK], diagonal))
        return total

    @classmethod
    def quick(cls, X: Vectors) -> Moments:
        """The same from products of float32, which are summed in float64: `rounded`, and several times faster.

        A block of rows is measured from its own mean, so a mean that is large costs no digits. What is off is about
        1e-8 of the greatest variance (without the compiled kernels up to some 1e-7):
        enough for directions of 1e-4 of it and more.

        Parameters
        ----------
        X : ndarray of shape (N, D)
            The vectors; those of float64 give what `of` gives.

        Returns
        -------
        Moments
            Of all rows; those of `of` where squares are too large or too small for float32.
        """
        if X.dtype != np.float32 or len(X) == 0:
            return cls.of(X)
        with np.errstate(over="ignore", invalid="ignore"):  # what is too large is refused where it is used
            sizes, means, within = block_sums(X)
            mean = sizes @ means / len(X)
            between = (means - mean) * np.sqrt(sizes)[:, None]
            scatter = within + between.T @ between
        if not (np.isfinite(scatter).all() and scatter.diagonal().max() > SMALL * len(X)):  # too large, or too small
            return cls.of(X)
        return cls(len(X), mean, scatter, rounded=True)

    def merge(self, other: Moments) -> Moments:
        """Moments of both sets of vectors together, by Chan's formula.

        delta = mean_b - mean_a;  mean = mean_a + delta n_b / n;  scatter = S_a + S_b + delta delta^T n_a n_b / n.

        Parameters
        ----------
        other : Moments
            Of other vectors with the same number of dims.

        Returns
        -------
        Moments
            Of all vectors. If one side keeps only the diagonal, so does the result.

        Raises
        ------
        InputError
            If the numbers of dims differ.
        """
        if len(self.mean) != len(other.mean):
            raise InputError(f"moments of {len(self.mean)} and of {len(other.mean)} dims can't be merged")
        if self.scatter.ndim != other.scatter.ndim:
            return self.diagonal().merge(other.diagonal())
        n = self.n + other.n
        share = other.n / max(n, 1)
        delta = other.mean - self.mean
        between = delta**2 if self.scatter.ndim == 1 else np.outer(delta, delta)
        scatter = self.scatter + other.scatter + between * (self.n * share)
        return Moments(n, self.mean + delta * share, scatter, self.rounded or other.rounded)

    def diagonal(self) -> Moments:
        """The same, with the scatter's diagonal alone."""
        return self if self.scatter.ndim == 1 else Moments(self.n, self.mean, np.diagonal(self.scatter).copy())

    @property
    def variance(self) -> Doubles:
        """Mean squared distance from the mean (divided by n). Shape: (D,)"""
        return self.diagonal().scatter / max(self.n, 1)

    def covariance(self, ddof: int = 1) -> Doubles:
        """scatter / (n - ddof)

        Parameters
        ----------
        ddof : int
            What is subtracted from n.

        Returns
        -------
        ndarray of float64, of shape (D, D)
            Zeros where there are too few vectors.

        Raises
        ------
        InputError
            If only the diagonal of the scatter was kept.
        """
        if self.scatter.ndim == 1:
            raise InputError("these moments keep only variances; make them with Moments.of(X) to have the covariance")
        return self.scatter / (self.n - ddof) if self.n > ddof else np.zeros_like(self.scatter)

    def affine(self, linear: Doubles, offset: Doubles) -> Moments:
        """Moments of the vectors x @ linear + offset, or x * linear + offset where linear is one number per dim.

        Parameters
        ----------
        linear : ndarray of shape (D, D') or (D,)
            A matrix, or one factor per dim.
        offset : ndarray of shape (D',)
            What is added.

        Returns
        -------
        Moments
            Of the mapped vectors.

        Raises
        ------
        InputError
            If a matrix is given and only the diagonal of the scatter was kept.
        """
        if linear.ndim == 1:
            squares = linear**2 if self.scatter.ndim == 1 else np.outer(linear, linear)
            return Moments(self.n, self.mean * linear + offset, self.scatter * squares, self.rounded)
        if self.scatter.ndim == 1:
            raise InputError("these moments keep only variances; make them with Moments.of(X) to apply a matrix")
        return Moments(self.n, self.mean @ linear + offset, linear.T @ self.scatter @ linear, self.rounded)


def _of_chunk(X: Vectors, diagonal: bool) -> Moments:
    n, d = X.shape
    if n == 0:
        return Moments(0, np.zeros(d), np.zeros(d if diagonal else (d, d)))
    # Measured from about the mean, as a number of X's own type: the differences are exact, what the mean is off by is
    # taken out of the sums, and a constant column is exactly 0.
    about = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large is refused where it is used
        rows = np.subtract(X, about, dtype=np.float64)
        off = rows.sum(axis=0)
        if diagonal:
            scatter = np.maximum(np.einsum("nd,nd->d", rows, rows) - off * off / n, 0)
        else:
            scatter = rows.T @ rows - np.outer(off, off / n)
    return Moments(n, about + off / n, scatter)
