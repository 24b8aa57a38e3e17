"""The middle of the one path: weights that sum to 1, weighted sums of token vectors, windows and layers joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from attar.errors import ModelError
from attar.types import Doubles, Encoder, Floats, Ints, Role, Tokens, token_index

if TYPE_CHECKING:  # scikit-learn takes longer to import than a static model takes to load
    from attar.weights import Weighting


@dataclass(frozen=True)
class PooledTexts:
    """What the path has made of some texts before layers are mixed."""

    vectors: Floats  # (A, N, L, D)
    tokens: Tokens
    lost: npt.NDArray[np.bool_]  # (A, N) the text lost all its tokens to the weighting and fell back


def pool_texts(
    encoder: Encoder, texts: Sequence[str], weightings: Sequence[Weighting], layers: Sequence[int]
) -> PooledTexts:
    """Texts to pooled vectors, for all weightings and layers from one pass through the encoder."""
    return pool_tokenized(encoder, encoder.tokenize(texts), weightings, layers)


def pool_tokenized(
    encoder: Encoder,
    tokens: Tokens,
    weightings: Sequence[Weighting],
    layers: Sequence[int],
    out: Floats | None = None,
) -> PooledTexts:
    """The same for texts that are tokens already; into `out` (A, N, L, D) where it is given, one sequence per text."""
    token_weights = np.empty((len(weightings), len(tokens.ids)), dtype=np.float32)
    lost = np.zeros((len(weightings), tokens.n_texts), dtype=bool)
    for a, weighting in enumerate(weightings):
        token_weights[a], sequences = scale_weights(weighting.weigh(tokens), tokens)
        if np.count_nonzero(sequences):
            lost[a, tokens.texts[sequences]] = True
    if out is None:
        vectors = join_windows(encoder.pool(tokens, token_weights, layers), tokens)
    else:
        vectors = out
        encoder.pool_into(tokens, token_weights, layers, out)
    check_finite(vectors, encoder)
    return PooledTexts(vectors, tokens, lost)


def check_finite(vectors: Floats, encoder: Encoder) -> None:
    """Refuse the vectors of a model whose weights hold NaN or inf, or lead beyond what a float can hold."""
    if np.count_nonzero(np.isfinite(vectors)) < vectors.size:
        n_bad = int((~np.isfinite(vectors)).any(axis=-1).sum())
        raise ModelError(
            f"{encoder!r} gave {n_bad:,} vectors that are not finite: its weights hold NaN or inf, or lead to them; "
            "get the model anew, or choose layers below the damage"
        )


def scale_weights(raw: Floats, tokens: Tokens) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Weights that sum to 1 in each sequence, and which sequences had none and fell back.

    A sequence whose weights are all 0 falls back to the mean of the text's own tokens; a text without tokens to the
    mean of the special and template tokens around it. A sequence of no tokens at all stays empty: its vector is 0.
    Absent tokens are left out of all this, as if they were not there.
    Shape: raw (T,); result (T,), (N,)
    """
    lengths = tokens.lengths
    weights = raw.astype(np.float64)
    sums = _sums(weights, tokens.offsets, lengths)
    lost = sums <= 0
    if np.count_nonzero(lost):
        own = (tokens.roles == Role.TEXT).astype(np.float64)
        has_own = np.repeat(_sums(own, tokens.offsets, lengths) > 0, lengths)
        weights = np.where(np.repeat(lost, lengths), np.where(has_own, own, 1.0), weights)
        sums = _sums(weights, tokens.offsets, lengths)
    scaled = (weights / sums.repeat(lengths)).astype(np.float32)
    if tokens.absent is None:
        return scaled, lost
    present = (~tokens.absent).astype(np.float64)
    left = _sums(raw.astype(np.float64) * present, tokens.offsets, lengths)
    robbed = (left <= 0) & (_sums(present, tokens.offsets, lengths) > 0)
    return leave_out(tokens.absent, scaled[None], tokens.offsets)[0], lost | robbed


def leave_out(absent: npt.NDArray[np.bool_], token_weights: Floats, offsets: Ints) -> Floats:
    """Weights as if the absent tokens were not there: 0 for them, the others scaled up to the same sum.

    Where only absent tokens had weight, the others share it evenly; a sequence with no others keeps nothing.
    Shape: absent (T,), token_weights (A, T) -> (A, T)
    """
    if not np.count_nonzero(absent):
        return token_weights
    touched = np.unique(np.searchsorted(offsets, np.flatnonzero(absent), side="right") - 1)  # few, as a rule
    lengths = np.diff(offsets)[touched]
    at = token_index(offsets[touched], lengths)
    out = token_weights.copy()
    out[:, at] = _without(absent[at], token_weights[:, at], np.repeat(np.arange(len(touched)), lengths), len(touched))
    return out


def _without(absent: npt.NDArray[np.bool_], token_weights: Floats, sequence: Ints, n: int) -> Floats:
    out = np.empty_like(token_weights)
    for a, weights in enumerate(token_weights.astype(np.float64)):
        before = _bins(weights, sequence, n)
        present = np.where(absent, 0.0, weights)
        after = _bins(present, sequence, n)
        robbed = ((after == 0) & (before != 0))[sequence] & ~absent
        present[robbed] = 1.0
        after = _bins(present, sequence, n)
        out[a] = present * (before / np.where(after != 0, after, 1.0))[sequence]
    return out


def _bins(weights: Doubles, sequence: Ints, n: int) -> Doubles:
    return np.asarray(np.bincount(sequence, weights=weights, minlength=n), dtype=np.float64)


def _sums(values: Doubles, offsets: Ints, lengths: Ints) -> Doubles:
    """Of each sequence; 0 where it has no tokens. Shape: (T,), (N + 1,), (N,) -> (N,)"""
    if np.count_nonzero(lengths) == len(lengths) > 0:
        return np.add.reduceat(values, offsets[:-1])
    sums, there = np.zeros(len(lengths)), lengths > 0
    if there.any():
        sums[there] = np.add.reduceat(values, offsets[:-1][there])
    return sums


def pool_tokens(vectors: Floats, token_weights: Floats, offsets: Ints) -> Floats:
    """The weighted sum of each sequence's token vectors. Shape: (T, D), (A, T), (N + 1,) -> (A, N, D)"""
    from scipy.sparse import csr_array  # takes longer to import than a static model takes to load

    n_weightings, n_tokens = token_weights.shape
    n_sequences = len(offsets) - 1
    columns = np.tile(np.arange(n_tokens), n_weightings)
    starts = (np.arange(n_weightings)[:, None] * n_tokens + offsets[None, :-1]).ravel()
    ends = np.append(starts, n_weightings * n_tokens)
    shares = csr_array((token_weights.ravel(), columns, ends), shape=(n_weightings * n_sequences, n_tokens))
    pooled: Floats = (shares @ vectors).reshape(n_weightings, n_sequences, vectors.shape[1])
    return pooled


def join_windows(pooled: Floats, tokens: Tokens) -> Floats:
    """The mean over each text's windows. Shape: (A, N, ...) -> (A, n_texts, ...)"""
    if len(tokens) == tokens.n_texts:
        return pooled
    counts = np.bincount(tokens.texts, minlength=tokens.n_texts)
    starts = np.concatenate([[0], np.cumsum(counts)])[:-1]
    sums = np.add.reduceat(pooled, starts, axis=1)
    return (sums / counts.reshape((1, -1) + (1,) * (pooled.ndim - 2))).astype(np.float32)


def mix_layers(pooled: Floats, layer_weights: Sequence[float]) -> Floats:
    """The weighted sum over layers. Shape: (..., L, D), L -> (..., D)"""
    if len(layer_weights) == 1 and layer_weights[0] == 1.0:
        return pooled[..., 0, :]
    mixed: Floats = np.einsum("...ld,l->...d", pooled, np.asarray(layer_weights, dtype=np.float32))
    return mixed
