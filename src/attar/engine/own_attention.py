"""How much each token attends to itself: the diagonal of the attention of one head."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from attar.engine.kernels import Projected
from attar.types import Floats, Ints, offsets_of


def own_attention(projected: Projected, lengths: Ints, heads: int, scale: float, head: int) -> Floats:
    """The share of its own key in the attention of each token's query, within its sequence.

    Parameters
    ----------
    projected : Projected
        Queries and keys of all heads, of tokens laid end to end.
    lengths : ndarray of int64, of shape (N,)
        Tokens of each sequence.
    heads : int
        How many heads share the dims.
    scale : float
        What products of queries and keys are multiplied by.
    head : int
        The wanted one, from 0.

    Returns
    -------
    ndarray of float32, of shape (T,)
        From 0 to 1; 1 for a token that is alone.
    """
    size = projected.queries.shape[1] // heads
    dims = slice(head * size, (head + 1) * size)
    queries = (projected.queries[:, dims] + projected.query_bias[dims]) * np.float32(scale)
    keys = projected.keys[:, dims] + projected.key_bias[dims]
    shares = np.empty(len(queries), dtype=np.float32)
    offsets = offsets_of(lengths)
    for start, end in pairwise(offsets):
        logits = queries[start:end] @ keys[start:end].T
        own = logits.diagonal()[:, None]
        with np.errstate(over="ignore"):
            shares[start:end] = 1 / np.exp(logits - own).sum(axis=1)  # softmax at the diagonal; inf gives 0
    return shares
