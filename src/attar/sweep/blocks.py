"""Blocks of pooled vectors on disk: float16, memory-mapped, whole or not there at all.

Hidden states of some models go beyond what float16 can hold, and a few dims are far larger than the rest. So each dim
of each layer is scaled by a power of 2, which loses nothing, and the powers are kept beside.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from attar.errors import InputError, OutputError
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
    block, powers = _open(path)
    vectors: Floats = np.ldexp(block[layer][slots, rows].astype(np.float32), powers[layer].astype(np.int32) - _TOP)
    if not np.isfinite(vectors).all():
        raise InputError(f"the kept vectors {path} are damaged; remove that file and run again")
    return vectors


def is_written(path: Path, n_weights: int, n_texts: int, n_layers: int) -> bool:
    """Whether a block is there and as large as it should be; one that is damaged is written again."""
    try:
        return path.is_file() and _open(path)[0].shape[:3] == (n_layers, n_weights, n_texts)
    except Exception:  # whatever numpy makes of it
        return False


def _open(path: Path) -> tuple[npt.NDArray[np.float16], npt.NDArray[np.int16]]:
    """The scaled vectors, mapped, and their powers. Shape: (L, A, N, D), (L, D)"""
    block = np.load(path, mmap_mode="r", allow_pickle=False)
    powers = np.load(_powers_path(path), mmap_mode="r", allow_pickle=False)
    found = block.dtype, powers.dtype, block.ndim, powers.shape
    if found != (np.float16, np.int16, 4, (block.shape[0], block.shape[-1])):
        raise ValueError(f"{path} holds {block.dtype} of shape {block.shape}, and powers of shape {powers.shape}")
    return block, powers


def _powers_path(path: Path) -> Path:
    return path.with_suffix(".powers.npy")


def _save(path: Path, array: npt.NDArray[np.generic]) -> None:
    with new_file(path) as aside, open(aside, "wb") as file:
        np.save(file, array, allow_pickle=False)
