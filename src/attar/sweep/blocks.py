"""Blocks of pooled vectors on disk: float16, memory-mapped, whole or not there at all.

Hidden states of some models go beyond what float16 can hold, and a few dims are far larger than the rest. So each dim
of each layer is scaled by a power of 2, which loses nothing, and the powers are kept beside.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from attar.errors import OutputError
from attar.io.atomic import new_file
from attar.types import Floats, Ints

_TOP = 15  # scaled values stay below 2^15, of the 2^16 that float16 can hold
_LEAST = -100  # smaller dims are not scaled up further: float32 could not hold the scale


def write_block(path: Path, pooled: Floats) -> None:
    """The file of vectors comes last: where it is, all is. Shape: (A, N, L, D)"""
    largest = np.maximum(pooled.max(axis=(0, 1)), -pooled.min(axis=(0, 1)))  # (L, D)
    if not np.isfinite(largest).all():
        raise OutputError(f"the model gave values that are not finite; nothing was written to {str(path)!r}")
    powers = np.maximum(np.frexp(largest)[1], _LEAST).astype(np.int16)
    scales = np.ldexp(np.float32(1), _TOP - powers)
    n_weights, n_texts, n_layers, n_dims = pooled.shape
    scaled = np.empty((n_layers, n_weights, n_texts, n_dims), dtype=np.float16)
    for layer in range(n_layers):  # a product is many times faster than ldexp of all
        scaled[layer] = pooled[:, :, layer] * scales[layer]
    _save(_powers_path(path), powers)
    _save(path, scaled)


def read_vectors(path: Path, layer: int, slots: Ints, rows: Ints) -> Floats:
    """Vectors of some texts of a block at the layer that stands at this place. Shape: (N,), (N,) -> (N, D)"""
    block: npt.NDArray[np.float16] = np.load(path, mmap_mode="r", allow_pickle=False)  # (L, A, N, D)
    powers = np.load(_powers_path(path), allow_pickle=False)[layer].astype(np.int32)
    vectors: Floats = np.ldexp(block[layer][slots, rows].astype(np.float32), powers - _TOP)
    return vectors


def is_written(path: Path) -> bool:
    return path.is_file()


def _powers_path(path: Path) -> Path:
    return path.with_suffix(".powers.npy")


def _save(path: Path, array: npt.NDArray[np.generic]) -> None:
    with new_file(path) as aside, open(aside, "wb") as file:
        np.save(file, array, allow_pickle=False)
