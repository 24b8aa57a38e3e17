"""Pooled: an encoder whose token vectors are pooled in another way than by a weighted mean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from attar import poolings
from attar.encoders.wrapper import Wrapper
from attar.errors import InputError
from attar.types import Encoder, Floats, Ints, Tokens


class Pooled(Wrapper):
    """An encoder with a pooling that is not linear: max, min, power means, DCT, or several side by side.

    Tokens of weight 0 are left out, and so are words that the encoder does not know. Each layer is pooled by itself;
    layers and windows are averaged after that, as always.

    Parameters
    ----------
    encoder : Encoder, str, Path or None
        What computes the token vectors, or what opens it; None for the embedded default model.
    pooling : str
        Poolings as text, such as "max" or "mean,max"; see `attar.poolings`.

    Raises
    ------
    InputError
        If the pooling can't be read.

    Examples
    --------
    >>> Embedder(Pooled("bert-base-uncased", "mean,max"), layers="last")  # doctest: +SKIP
    """

    kind = "pooled"
    setting = "pooling"
    pools_linearly = False

    def __init__(self, encoder: Encoder | str | Path | None = None, pooling: str = "max") -> None:
        self.poolings = poolings.parse(pooling)
        super().__init__(encoder, pooling)

    @property
    def pooling(self) -> str:
        """The poolings as text."""
        return poolings.text(self.poolings)

    @property
    def value(self) -> str:
        return self.pooling

    @property
    def _marked(self) -> str:
        return self.pooling  # as fingerprints were from the beginning

    def width(self, layer: int) -> int:
        return self.encoder.width(layer) * sum(pooling.factor for pooling in self.poolings)

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        """The pooled vectors, all weightings and layers at once; token vectors are held a batch at a time.

        Parameters
        ----------
        tokens : Tokens
            N sequences of T tokens in all.
        token_weights : ndarray of float32, of shape (A, T)
            One row per weighting; tokens of weight 0 are left out.
        layers : sequence of int
            L layers of the same width.

        Returns
        -------
        ndarray of float32, of shape (A, N, L, D)
            Zeros for a sequence without a token that counts.

        Raises
        ------
        InputError
            If there is no such layer, or widths differ.
        """
        widths = {self.width(layer) for layer in layers}
        if len(widths) != 1:
            raise InputError(f"layers {list(layers)} have the widths {sorted(widths)}; pool layers of one width")
        found = np.zeros((len(token_weights), len(tokens), len(layers), widths.pop()), dtype=np.float32)
        sequence_of = tokens.sequence_of

        def visit(batch: int, places: Ints, layer: int, vectors: Floats) -> None:
            known = vectors.any(axis=1)  # a word without a vector is all zeros
            for a, weights in enumerate(token_weights):
                kept = known & (weights[places] > 0)
                if kept.any():
                    rows, pooled = self._pooled(vectors[kept], weights[places][kept], sequence_of[places][kept])
                    found[a, rows, list(layers).index(layer)] = pooled

        self.encoder.each_batch(tokens, layers, visit)
        return found

    def _pooled(self, vectors: Floats, weights: Floats, sequences: Ints) -> tuple[Ints, Floats]:
        """The sequences that are there, and their vectors. Shape: (S,), (S, D)"""
        starts = np.flatnonzero(np.concatenate([[True], sequences[1:] != sequences[:-1]]))
        offsets = np.append(starts, len(sequences))
        sums = np.add.reduceat(weights, starts, dtype=np.float64)
        scaled = (weights / np.repeat(sums, np.diff(offsets))).astype(np.float32)
        parts = [pooling.pool(vectors, scaled, offsets) for pooling in self.poolings]
        return sequences[starts], np.concatenate(parts, axis=1)
