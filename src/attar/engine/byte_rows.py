"""Rows as bytes beside their floats, for k-means: bytes decide which centre is nearest, floats where bytes can't.

What comes out is what floats alone would say, with the same bits by vectors of any width and any number of threads.
Letters: N rows, D dims, R starts, A of them active, K centres.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from attar.engine.compiled import CompiledKernels, address
from attar.engine.kernels import compiled_kernels
from attar.engine.library import Abilities
from attar.engine.threads import usual_threads
from attar.types import Doubles, Floats, Ints

_TOGETHER, _GROUP, _PER_UNIT = 16, 20, 4  # as in _bytes.h
_BLOCK = 512  # as in _spread.c
_BLOCK_ROWS = 256  # as in _nearest.c
_MOST_DIMS = 2**16  # whose sums of products of bytes have 31 bits
_PARTS = 4  # for each thread: who is late gets fewer


class _Rows(ctypes.Structure):
    """byte_rows of _bytes.h."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("x", "bytes", "steps", "offs", "squares")),
        *((name, ctypes.c_int64) for name in ("n", "dims", "units")),
    ]


class Moving:
    """What is known of each start and follows its centres as they move."""

    def __init__(self, n: int, dims: int, n_init: int, k: int) -> None:
        self.labels = np.full((n_init, n), -1, dtype=np.int32)
        self.left = np.empty((n_init, n), dtype=np.int32)  # labels before the last update
        self.margins = np.zeros((n_init, n), dtype=np.float32)
        self.lost = np.zeros((n_init, k), dtype=np.float32)  # by margins of a centre's rows since the last update
        self.sums = np.zeros((n_init, k, dims))  # of a centre's rows
        self.counts = np.zeros((n_init, k), dtype=np.int64)


class ByteRows:
    """Shape: x (N, D)"""

    def __init__(self, kernels: CompiledKernels, x: Floats) -> None:
        self.x = np.ascontiguousarray(x, dtype=np.float32)
        n, dims = self.x.shape
        self._functions = kernels.functions
        self._dots = Abilities.DOTS in kernels.abilities
        self._units = -(-dims // (2 * _PER_UNIT)) * 2
        self._bytes = np.empty((n, self._units * _PER_UNIT), dtype=np.uint8)
        self._about = np.empty((3, n), dtype=np.float32)  # steps, offs and squares
        places = [address(array) for array in (self.x, self._bytes, *self._about)]
        self._rows = _Rows(*places, n, dims, self._units)
        self._functions.attar_byte_rows(ctypes.byref(self._rows), usual_threads(), self._dots)

    @property
    def squares(self) -> Floats:
        """|x|^2. Shape: (N,)"""
        squares: Floats = self._about[2]
        return squares

    def nearest(self, moving: Moving, active: Ints, centers: Floats) -> Ints:
        """Bring the active starts up to their centres; how many rows of each moved. Shape: centers (A, K, D) -> (A,)"""
        n_active, k, _ = centers.shape
        threads = usual_threads()
        at, which = np.ascontiguousarray(centers, np.float32), np.ascontiguousarray(active, np.int64)
        moved, packed = np.empty(n_active, dtype=np.int64), self._room(n_active, k)
        parts, scratch = self._scratch(k, threads, _BLOCK_ROWS * self._units)
        state = moving.lost, moving.labels, moving.left, moving.margins, moving.sums, moving.counts, moved, scratch
        self._functions.attar_nearest(
            *(ctypes.byref(self._rows), address(at), address(packed), address(which), n_active, k),
            *(address(array) for array in state),
            *(parts, threads, self._dots),
        )
        return moved

    def spread(self, trials: Floats, distances: Floats, left: Floats) -> Doubles:
        """What is left of squared distances with each trial as one more centre, into `left`; its sums over rows.

        Shape: trials (R, T, D), distances (R, N), left (R, T, N) -> (R, T)
        """
        n_init, each, dims = trials.shape
        n, n_trials, threads = len(self.x), n_init * each, usual_threads()
        at = np.ascontiguousarray(trials, np.float32).reshape(n_trials, dims)
        so_far = np.ascontiguousarray(distances, np.float32)
        if left.shape != (n_init, each, n) or left.dtype != np.float32 or not left.flags.c_contiguous:
            raise ValueError(f"what is left needs ({n_init}, {each}, {n}) float32, not {left.shape} {left.dtype}")
        sums = np.empty((-(-n // _BLOCK), n_trials))
        parts, scratch = self._scratch(n_trials, threads)
        packed = self._room(1, n_trials)
        self._functions.attar_spread(
            *(ctypes.byref(self._rows), address(at), address(packed), n_trials, each),
            *(address(array) for array in (so_far, left, sums, scratch)),
            *(parts, threads, self._dots),
        )
        totals: Doubles = sums.sum(axis=0).reshape(n_init, each)
        return totals

    def _room(self, sets: int, n: int) -> Floats:
        """CENTERS_ROOM of _bytes.h for each set of n centres."""
        return np.empty((sets, n * (self._units + 5) + self._units + 1), dtype=np.float32)

    def _scratch(self, n: int, threads: int, more: int = 0) -> tuple[int, npt.NDArray[Any]]:
        """How many parts the work has, and SCRATCH of _bytes.h and more for each."""
        parts = 1 if threads == 1 else _PARTS * threads
        return parts, np.empty((parts, (self._units + _GROUP + 2 * n) * _TOGETHER + more), dtype=np.float32)


def byte_rows(x: Floats) -> ByteRows | None:
    """The rows as bytes; None without the compiled kernels, or of too many dims. Shape: (N, D)"""
    kernels = compiled_kernels()
    return None if kernels is None or x.shape[1] > _MOST_DIMS else ByteRows(kernels, x)
