"""The compiled library, and what of it this processor can run."""

from __future__ import annotations

import ctypes
import os
from enum import IntFlag
from functools import cache
from typing import NamedTuple

from attar.engine.built import open_built
from attar.errors import unknown_name

VARIABLE = "ATTAR_INSTRUCTIONS"
LIMITS = ("none", "avx2", "avx512", "all")


class Abilities(IntFlag):
    """As in _products.c."""

    VECTORS = 1  # of eight floats: AVX2 with FMA, or whatever a processor of another kind has
    WIDE = 2  # of sixteen: AVX-512
    BFLOAT16 = 4  # products of bfloat16
    DOTS = 8  # products of 8-bit integers: VNNI


_ALLOWED = {
    "none": Abilities(0),
    "avx2": Abilities.VECTORS,
    "avx512": Abilities.VECTORS | Abilities.WIDE,
    "all": Abilities.VECTORS | Abilities.WIDE | Abilities.BFLOAT16 | Abilities.DOTS,
}


class Compiled(NamedTuple):
    """The library and what may be called of it."""

    functions: ctypes.CDLL
    abilities: Abilities


@cache
def open_library(limit: str | None = None) -> Compiled | None:
    """The library, with no more than the instructions allowed: "none", "avx2", "avx512" or "all".

    Without a limit the environment variable ATTAR_INSTRUCTIONS gives it, or there is none. None where no compiler was
    at hand when the package was installed, where it is of other sources, the processor too old, and for "none".
    """
    allowed = limit if limit is not None else os.environ.get(VARIABLE) or "all"
    if allowed not in LIMITS:
        raise unknown_name(f"limit of instructions (the environment variable {VARIABLE})", allowed, LIMITS)
    library = _library()
    if library is None:
        return None
    abilities = Abilities(library.attar_processor()) & _ALLOWED[allowed]
    return Compiled(library, abilities) if Abilities.VECTORS in abilities else None


@cache
def _library() -> ctypes.CDLL | None:
    return open_built("_kernels", _declare)


def _declare(library: ctypes.CDLL) -> None:
    for name, arguments in _ARGUMENTS.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, None
    library.attar_processor.restype = ctypes.c_int
    library.attar_sum_rows.restype = library.attar_word_pieces.restype = ctypes.c_int64


_POINTER, _NUMBER, _REAL = ctypes.c_void_p, ctypes.c_int64, ctypes.c_float
_PACK = [_POINTER, _NUMBER, _NUMBER, _POINTER]
_ARGUMENTS = {
    "attar_attention": [
        *(_POINTER, _NUMBER, _POINTER, _NUMBER, _POINTER, _NUMBER, _POINTER, _POINTER, _POINTER),
        *(_POINTER, _NUMBER, _NUMBER, _NUMBER, _REAL, _POINTER, _NUMBER, _POINTER, _NUMBER, _NUMBER),
    ],
    "attar_block": [
        *(_POINTER, _POINTER, _NUMBER, _POINTER, _NUMBER, _POINTER, _NUMBER, _POINTER, _NUMBER),
    ],
    "attar_bias_gelu": [_POINTER, _POINTER, _NUMBER, _NUMBER],
    "attar_bias_relu": [_POINTER, _POINTER, _NUMBER, _NUMBER],
    "attar_add_scale": [_POINTER, _POINTER, _POINTER, _NUMBER, _POINTER, _POINTER, _NUMBER, _NUMBER],
    "attar_add_norm": [_POINTER, _POINTER, _POINTER, _POINTER, _POINTER, _REAL, _NUMBER, _NUMBER],
    "attar_pack_float32": _PACK,
    "attar_pack_bfloat16": _PACK,
    "attar_pack_int8": _PACK,
    "attar_pack_int16": _PACK,
    "attar_times": [
        *(_NUMBER, _POINTER, _NUMBER, _POINTER, _NUMBER, _NUMBER, _NUMBER, _POINTER, _NUMBER),
    ],
    "attar_scatter": [
        *(_POINTER, _NUMBER, _NUMBER, _NUMBER, _POINTER, _POINTER, _POINTER, _POINTER, _NUMBER, _NUMBER),
    ],
    "attar_byte_rows": [_POINTER, _NUMBER, _NUMBER],
    "attar_nearest": [
        *(_POINTER, _POINTER, _POINTER, _POINTER, _NUMBER, _NUMBER, _POINTER, _POINTER, _POINTER, _POINTER),
        *(_POINTER, _POINTER, _POINTER, _POINTER, _NUMBER, _NUMBER, _NUMBER),
    ],
    "attar_spread": [
        *(_POINTER, _POINTER, _POINTER, _NUMBER, _NUMBER, _POINTER, _POINTER, _POINTER, _POINTER),
        *(_NUMBER, _NUMBER, _NUMBER),
    ],
    "attar_sum_rows": [
        *(_POINTER, _NUMBER, _NUMBER, _POINTER, _POINTER, _POINTER, _NUMBER, _POINTER, _NUMBER, _NUMBER),
    ],
    "attar_word_piece_slots": [
        *(_POINTER, _POINTER, _NUMBER, _POINTER, _NUMBER, _POINTER, _NUMBER, _POINTER),
    ],
    "attar_word_pieces": [
        *(_POINTER, _POINTER, _NUMBER, _NUMBER, _POINTER, _POINTER, _POINTER, _POINTER, _NUMBER),
    ],
}
