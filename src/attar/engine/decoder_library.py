"""The compiled kernels of decoders, where they were built and the machine can run them."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Any

import numpy.typing as npt

from attar.engine.built import open_built
from attar.engine.library import LIMITS, VARIABLE

_POINTER, _NUMBER, _REAL = ctypes.c_void_p, ctypes.c_int64, ctypes.c_float
_FUNCTIONS = {
    "attar_rms_norm": [_POINTER, _NUMBER, _POINTER, _REAL, _NUMBER, _NUMBER, _POINTER, _NUMBER],
    "attar_layer_norm": [_POINTER, _POINTER, _POINTER, _REAL, _NUMBER, _NUMBER, _POINTER],
    "attar_rotate": [_POINTER, _NUMBER, _POINTER, _POINTER, _POINTER, *[_NUMBER] * 5],
    "attar_gate": [_POINTER, _POINTER, _NUMBER, _NUMBER],
    "attar_attend_before": [
        *[_POINTER, _NUMBER] * 3, _POINTER, _POINTER, _NUMBER, _POINTER, *[_NUMBER] * 4, _REAL, _NUMBER, _POINTER,
        _POINTER,
    ],
    "attar_stored_rows": [_POINTER, _NUMBER, _POINTER, _NUMBER, _NUMBER, _POINTER],
    "attar_times_stored": [_POINTER, _NUMBER, _POINTER, *[_NUMBER] * 6, _POINTER, _POINTER],
}  # fmt: skip


@cache
def decoder_library() -> ctypes.CDLL | None:
    """None where no compiler was at hand when the package was installed, or the processor is too old or may not."""
    if _limit() == "none":
        return None
    library = open_built("_decoder", _declare)
    return library if library is not None and library.attar_decoder_runs_here() else None


@cache
def product_level() -> int:
    """What products may use: 0 vectors of eight, 1 of sixteen, 2 also the processor's own products of bfloat16."""
    library = decoder_library()
    return 0 if library is None else min(int(library.attar_stored_level()), LIMITS.index(_limit()) - 1)


def _limit() -> str:
    allowed = os.environ.get(VARIABLE) or "all"
    return allowed if allowed in LIMITS else "all"  # `library` says what is wrong with it


def _declare(library: ctypes.CDLL) -> None:
    for name, arguments in _FUNCTIONS.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, None
    library.attar_stored_level.restype = _NUMBER


def at(x: npt.NDArray[Any]) -> int:
    """Where an array begins."""
    return x.ctypes.data


def stride(x: npt.NDArray[Any]) -> int:
    """How many numbers lie from one row to the next."""
    return x.strides[0] // x.itemsize
