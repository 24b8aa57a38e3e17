"""Weighted sums of table rows, sequence by sequence: all that a static model computes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from attar.errors import InputError
from attar.io.texts import chunks
from attar.pooling import check_finite, join_windows, scale_weights
from attar.types import Encoder, Floats, Role, Tokens

log = logging.getLogger("attar")
CHUNK = 16384  # texts looked up at once: enough for the tokenizer to be quick, little enough to hold


def mean_vectors(
    encoder: Encoder, texts: Any, layers: Sequence[int], watch: Callable[[Tokens], None] | None = None
) -> Floats:
    """The plain mean of each text's own tokens over these layers; `watch` sees the tokens pass. Shape: (N, D)"""
    parts = [np.zeros((0, encoder.width(layers[0])), dtype=np.float32)]
    n_empty = 0
    for part, _ in chunks(texts, CHUNK):
        tokens = encoder.tokenize(part)
        if watch is not None:
            watch(tokens)
        token_weights, empty = scale_weights((tokens.roles == Role.TEXT).astype(np.float32), tokens)
        n_empty += int(empty.sum())
        pooled = join_windows(encoder.pool(tokens, token_weights[None], layers), tokens)[0]  # (N, L, D)
        check_finite(pooled, encoder)
        parts.append(pooled[:, 0] if len(layers) == 1 else pooled.mean(axis=1))
    vectors = np.concatenate(parts)
    report_empty(n_empty, len(vectors))
    return vectors


def report_empty(n_empty: int, n_texts: int) -> None:
    """Says that there are texts without a token to take the mean of."""
    if n_empty:
        log.warning("%s of %s texts have no known token of their own", f"{n_empty:,}", f"{n_texts:,}")


def check_layers(layers: Sequence[int], known: Sequence[int]) -> None:
    """Refuses layers that a static model does not hold."""
    missing = [layer for layer in layers if layer not in known]
    if missing or not layers:
        raise InputError(f"this static model holds no layer {missing or 'at all'}; it holds {sorted(known)}")
