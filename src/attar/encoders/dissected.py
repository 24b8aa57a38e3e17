"""Dissected: each token's layers fused by what is new in them, tokens weighed by their change (SBERT-WK, 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from attar.encoders.bag import check_layers
from attar.encoders.wrapper import LayerWrapper
from attar.engine.sums import pool_rows
from attar.errors import InputError
from attar.pooling import scale_weights
from attar.types import Doubles, Encoder, Floats, Ints, Tokens, TokenVectors

WINDOW = 2  # layers on each side that a layer is compared with
LEAST = 3  # layers: with fewer the middle one has nothing to be compared with
_RIDGE = 1e-12  # of the diagonal, where layers are equal


class Dissected(LayerWrapper):
    """SBERT-WK (Wang and Kuo, 2020): a token's vector is a mean of its layers, a text's a mean of its tokens.

    A layer counts by how little it aligns with its neighbours and by the part of it that they do not span; a token by
    the variance of the cosine between successive layers. Token weights are multiplied by that. All of it follows from
    the inner products of a token's own layers. Of a layer's neighbours, those below count only where there are two, as
    in the authors' code.

    Parameters
    ----------
    encoder : Encoder, str, Path or None
        What computes the token vectors, or what opens it; None for the embedded default model.
    dissected : str
        The first layer that counts; all from there on do. The authors take 4.

    Raises
    ------
    InputError
        If there are not at least three such layers.

    Examples
    --------
    >>> Embedder(Dissected("bert-base-uncased", "4"))  # doctest: +SKIP
    """

    kind = setting = "dissected"
    pools_linearly = False

    def __init__(self, encoder: Encoder | str | Path | None = None, dissected: str = "4") -> None:
        super().__init__(encoder, dissected)
        last = self.encoder.n_layers
        try:
            self.parts = tuple(range(int(dissected), last + 1))
        except ValueError:
            raise InputError(f"can't read dissected {dissected!r}: give the number of the first layer") from None
        if not 0 <= int(dissected) <= last + 1 - LEAST:
            raise InputError(
                f"layers {dissected} to {last} can't be dissected: it takes at least {LEAST} layers, from 0 up"
            )

    @property
    def value(self) -> str:
        return str(self.parts[0])

    def width(self, layer: int) -> int:
        check_layers([layer], self.only)
        return self.encoder.width(self.parts[-1])

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        check_layers(layers, self.only)
        vectors, changes = self._fused(tokens)
        weights = np.stack([scale_weights(row * changes, tokens)[0] for row in token_weights])
        pooled = pool_rows(vectors, None, weights, tokens.offsets)
        return np.repeat(pooled[:, :, None], len(layers), axis=2)

    def token_vectors(self, tokens: Tokens, layers: Sequence[int]) -> TokenVectors:
        check_layers(layers, self.only)
        return TokenVectors({1: self._fused(tokens)[0]})

    def _fused(self, tokens: Tokens) -> tuple[Floats, Floats]:
        """Each token's fused vector, and how much its layers change. Shape: (T, D), (T,)"""
        vectors = np.zeros((len(tokens.ids), self.width(1)), dtype=np.float32)
        changes = np.zeros(len(tokens.ids), dtype=np.float32)
        held: dict[int, list[Floats]] = {}

        def gather(number: int, places: Ints, _layer: int, states: Floats) -> None:
            batch = held.setdefault(number, [])
            batch.append(states.copy())  # from lower to higher layers; the model may go on in the same place
            if len(batch) == len(self.parts):
                layers = np.stack(held.pop(number), axis=1)  # (T, L, D)
                products = np.einsum("tkd,tld->tkl", layers, layers, dtype=np.float64, optimize=True)
                shares = layer_shares(products).astype(np.float32)
                vectors[places] = np.einsum("tl,tld->td", shares, layers)
                changes[places] = layer_changes(products)

        self.encoder.each_batch(tokens, self.parts, gather)
        return vectors, changes


def layer_shares(products: Doubles) -> Doubles:
    """How much of each layer a token's vector has; they sum to 1. Shape: products (T, L, L) -> (T, L)

    With the neighbours w of a layer v, p the length of its part in their span: aligned = mean of w.v / |w|, over p, and
    novel = sqrt(|v|^2 - p^2) / |v|. A layer has 1 / (2 aligned (neighbours + 1)) and novel, each scaled to sum to 1.
    """
    n_layers = products.shape[1]
    squares = np.einsum("tll->tl", products)
    aligned, novel = np.empty_like(squares), np.empty_like(squares)
    for k in range(n_layers):
        below = range(k - WINDOW, k) if k >= WINDOW else range(0)
        window = [*below, *range(k + 1, min(k + WINDOW + 1, n_layers))]
        among = products[:, window][:, :, window]
        ridge = _RIDGE * np.einsum("tww->t", among) + np.finfo(np.float64).tiny
        among = among + ridge[:, None, None] * np.eye(len(window))
        with_own = products[:, window, k]  # (T, W)
        spanned = np.einsum("tw,tw->t", with_own, np.linalg.solve(among, with_own[:, :, None])[:, :, 0])
        spanned = np.clip(spanned, 0, squares[:, k])
        mean = np.mean(_ratio(with_own, np.sqrt(squares[:, window])), axis=1)
        aligned[:, k] = _ratio(1, 2 * (len(window) + 1) * _ratio(mean, np.sqrt(spanned)))
        novel[:, k] = np.sqrt(_ratio(squares[:, k] - spanned, squares[:, k]))
    shares = _summing_to_one(aligned) + _summing_to_one(novel)
    return _summing_to_one(shares)


def layer_changes(products: Doubles) -> Doubles:
    """The variance of the cosine between successive layers. Shape: (T, L, L) -> (T,)"""
    lengths = np.sqrt(np.einsum("tll->tl", products))
    between = np.einsum("tll->tl", products[:, 1:, :-1])
    cosines = _ratio(between, lengths[:, 1:] * lengths[:, :-1])
    return np.asarray(cosines.var(axis=1))


def _ratio(above: Doubles | float, below: Doubles) -> Doubles:
    """0 where the divisor is 0."""
    return np.divide(above, below, out=np.zeros_like(below), where=below != 0)


def _summing_to_one(shares: Doubles) -> Doubles:
    """The same for all layers where their sum is 0."""
    sums = shares.sum(axis=1, keepdims=True)
    return np.where(sums == 0, 1 / shares.shape[1], _ratio(shares, np.broadcast_to(sums, shares.shape).copy()))
