"""Memory for weights, which stays: in large pages where the system has them, so that few places need looking up.

numpy asks for large pages for large arrays alone (4 MiB); so weights, which are smaller, share one.
"""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

_PAGE = 1 << 21  # bytes of a large page
_PIECE = 8 * _PAGE
_LINE = 64  # bytes of a line of the caches


class _Pieces:
    """The piece that was begun last; older ones stay as long as an array lies in them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free = np.empty(0, dtype=np.uint8)

    def take(self, n_bytes: int) -> npt.NDArray[np.uint8]:
        whole = -(-n_bytes // _LINE) * _LINE
        with self._lock:
            if whole > len(self._free):
                piece = np.empty(max(whole, _PIECE) + _PAGE, dtype=np.uint8)
                self._free = piece[-piece.ctypes.data % _PAGE :]
            taken, self._free = self._free[:n_bytes], self._free[whole:]
        return taken


_pieces = _Pieces()


def lasting(n_units: int) -> npt.NDArray[np.uint32]:
    """Memory for so many units, at the beginning of a line of the caches. Shape: (n_units,)"""
    return _pieces.take(4 * n_units).view(np.uint32)
