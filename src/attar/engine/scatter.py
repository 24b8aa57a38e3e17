"""The scatter of float32 vectors from products of float32, several times faster than of float64."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attar.engine.kernels import compiled_kernels
from attar.engine.threads import usual_threads
from attar.types import Doubles, Floats

BLOCK = 512  # rows; as in _scatter.c
_LARGE_BLOCK = 2048  # rows where numpy multiplies, which takes longer to begin


class BlockSums(NamedTuple):
    """What blocks of rows have: their sizes and means, and the sum of products of differences from these means."""

    sizes: Doubles  # (B,)
    means: Doubles  # (B, D)
    within: Doubles  # (D, D)


def block_sums(X: Floats) -> BlockSums:
    """Products are of float32, their sums over blocks of float64. Shape: (N, D), N at least 1

    Differences are measured from the block's mean as a float32; what that is off by is taken out of the sums.
    """
    compiled = compiled_kernels()
    sums = _by_numpy(X, _LARGE_BLOCK) if compiled is None else compiled.scatter(X, BLOCK, usual_threads())
    means, off, within = sums
    starts = np.arange(0, len(X), _LARGE_BLOCK if compiled is None else BLOCK)
    sizes = np.diff(np.append(starts, len(X))).astype(np.float64)
    return BlockSums(sizes, means, within - off.T @ (off * sizes[:, None]))


def _by_numpy(X: Floats, size: int) -> tuple[Doubles, Doubles, Doubles]:
    n, d = X.shape
    n_blocks = -(-n // size)
    means, off, within = np.empty((n_blocks, d)), np.empty((n_blocks, d)), np.zeros((d, d))
    held = np.empty((min(size, n), d), dtype=np.float32)
    for number in range(n_blocks):
        block = X[number * size : (number + 1) * size]
        about = block.mean(axis=0, dtype=np.float64).astype(np.float32)
        rows = np.subtract(block, about, out=held[: len(block)])
        off[number] = rows.mean(axis=0, dtype=np.float64)
        means[number] = about + off[number]
        within += rows.T @ rows
    return means, off, within
