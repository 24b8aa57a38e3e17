"""Rows of numbers as files store them: floats of 32 or 16 bits, or the blocks of GGUF files, with scales of their own.

What turns them into float32 here is numpy's: the reference for the compiled code, and what runs where none was built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attar.types import Floats

Raw = npt.NDArray[np.uint8]
Unpack = Callable[[Raw, int], Floats]  # (n, bytes of a row), numbers of a row -> (n, numbers)


def _halves(raw: Raw) -> Floats:
    """Pairs of bytes as float16. Shape: (B, 2 m) -> (B, m)"""
    return np.ascontiguousarray(raw).view("<f2").astype(np.float32)


def _plain(dtype: str) -> Unpack:
    return lambda raw, width: np.ascontiguousarray(raw).view(dtype).astype(np.float32)


def _bf16(raw: Raw, width: int) -> Floats:
    return (np.ascontiguousarray(raw).view("<u2").astype(np.uint32) << 16).view(np.float32)


def _blocks(size: int, read: Callable[[Raw], npt.NDArray[Any]]) -> Unpack:
    """A format of blocks of `size` bytes, from what one block holds. Shape of read: (B, size) -> (B, numbers)"""

    def unpack(raw: Raw, width: int) -> Floats:
        blocks = np.ascontiguousarray(raw).reshape(-1, size)
        return np.ascontiguousarray(read(blocks), dtype=np.float32).reshape(len(raw), width)

    return unpack


def _nibbles(raw: Raw) -> npt.NDArray[np.int32]:
    """All low halves, then all high ones. Shape: (B, m) -> (B, 2 m)"""
    return np.concatenate([raw & 15, raw >> 4], axis=1).astype(np.int32)


def _fifth_bits(raw: Raw) -> npt.NDArray[np.int32]:
    """Shape: (B, 4) -> (B, 32), 0 or 16"""
    return np.unpackbits(np.ascontiguousarray(raw), axis=1, bitorder="little").astype(np.int32) << 4


def _q8_0(b: Raw) -> Floats:
    return np.ascontiguousarray(b[:, 2:]).view(np.int8).astype(np.float32) * _halves(b[:, :2])


def _q4_0(b: Raw) -> Floats:
    return (_nibbles(b[:, 2:]) - 8).astype(np.float32) * _halves(b[:, :2])


def _q4_1(b: Raw) -> Floats:
    return _nibbles(b[:, 4:]).astype(np.float32) * _halves(b[:, :2]) + _halves(b[:, 2:4])


def _q5_0(b: Raw) -> Floats:
    return ((_nibbles(b[:, 6:]) | _fifth_bits(b[:, 2:6])) - 16).astype(np.float32) * _halves(b[:, :2])


def _q5_1(b: Raw) -> Floats:
    numbers = (_nibbles(b[:, 8:]) | _fifth_bits(b[:, 4:8])).astype(np.float32)
    return numbers * _halves(b[:, :2]) + _halves(b[:, 2:4])


def _parts_of_k(b: Raw) -> tuple[Floats, Floats]:
    """Scale and least value of the eight parts of each block. Shape: (B, 144 or 176) -> (B, 8, 1) twice"""
    s = b[:, 4:16].astype(np.int32)
    scale = np.concatenate([s[:, :4] & 63, (s[:, 8:] & 15) | (s[:, :4] >> 6) << 4], axis=1)
    least = np.concatenate([s[:, 4:8] & 63, (s[:, 8:] >> 4) | (s[:, 4:8] >> 6) << 4], axis=1)
    whole = _halves(b[:, :4])
    d, m = whole[:, :1] * scale.astype(np.float32), whole[:, 1:] * least.astype(np.float32)
    return d[:, :, None], m[:, :, None]


def _in_parts(raw: Raw) -> npt.NDArray[np.int32]:
    """Runs of 32 bytes: low halves, then high ones. Shape: (B, 128) -> (B, 8, 32)"""
    runs = raw.reshape(len(raw), 4, 1, 32).astype(np.int32)
    return np.concatenate([runs & 15, runs >> 4], axis=2).reshape(len(raw), 8, 32)


def _q4_k(b: Raw) -> Floats:
    scale, least = _parts_of_k(b)
    return (scale * _in_parts(b[:, 16:]).astype(np.float32) - least).reshape(len(b), 256)


def _q5_k(b: Raw) -> Floats:
    scale, least = _parts_of_k(b)
    high = (b[:, None, 16:48] >> np.arange(8, dtype=np.uint8)[:, None]) & 1  # (B, 8, 32)
    numbers = _in_parts(b[:, 48:]) | high.astype(np.int32) << 4
    return (scale * numbers.astype(np.float32) - least).reshape(len(b), 256)


def _q6_k(b: Raw) -> Floats:
    runs = b[:, :128].reshape(len(b), 2, 1, 64).astype(np.int32)
    low = np.concatenate([runs & 15, runs >> 4], axis=2).reshape(len(b), 8, 32)
    shifts = np.array([0, 2, 4, 6], dtype=np.uint8)[:, None]
    high = ((b[:, 128:192].reshape(len(b), 2, 1, 32) >> shifts) & 3).reshape(len(b), 8, 32)
    numbers = ((low | high.astype(np.int32) << 4) - 32).reshape(len(b), 16, 16)
    scales = np.ascontiguousarray(b[:, 192:208]).view(np.int8).astype(np.float32)
    scaled: Floats = (_halves(b[:, 208:]) * scales)[:, :, None] * numbers.astype(np.float32)
    return scaled


def _pairs_of_bits(raw: Raw) -> npt.NDArray[np.int32]:
    """Two runs of 32 bytes, four numbers a byte, from the lowest bits on. Shape: (B, 64) -> (B, 16, 16)"""
    shifts = np.array([0, 2, 4, 6], dtype=np.uint8)[:, None]
    return ((raw.reshape(len(raw), 2, 1, 32) >> shifts) & 3).astype(np.int32).reshape(len(raw), 16, 16)


def _q2_k(b: Raw) -> Floats:
    whole = _halves(b[:, 80:])
    scale = whole[:, :1] * (b[:, :16] & 15).astype(np.float32)
    least = whole[:, 1:] * (b[:, :16] >> 4).astype(np.float32)
    return scale[:, :, None] * _pairs_of_bits(b[:, 16:80]).astype(np.float32) - least[:, :, None]


def _q3_k(b: Raw) -> Floats:
    s = b[:, 96:108].astype(np.int32)
    high_scale = (s[:, None, 8:] >> np.array([0, 2, 4, 6])[:, None]).reshape(len(b), 16) & 3
    scales = np.concatenate([s[:, :8] & 15, s[:, :8] >> 4], axis=1) | high_scale << 4
    high = ((b[:, None, :32] >> np.arange(8, dtype=np.uint8)[:, None]) & 1).astype(np.int32).reshape(len(b), 16, 16)
    numbers = _pairs_of_bits(b[:, 32:96]) + 4 * high - 4
    scaled: Floats = (_halves(b[:, 108:]) * (scales - 32).astype(np.float32))[:, :, None] * numbers.astype(np.float32)
    return scaled


# What the sixteen steps of IQ4 stand for.
_STEPS = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], dtype=np.float32)


def _iq4_nl(b: Raw) -> Floats:
    return _halves(b[:, :2]) * _STEPS[_nibbles(b[:, 2:])]


def _iq4_xs(b: Raw) -> Floats:
    low = np.stack([b[:, 4:8] & 15, b[:, 4:8] >> 4], axis=2).reshape(len(b), 8).astype(np.int32)
    high = np.ascontiguousarray(b[:, 2:4]).view("<u2").astype(np.int32) >> np.arange(0, 16, 2) & 3
    scales = _halves(b[:, :2]) * ((low | high << 4) - 32).astype(np.float32)
    numbers = _STEPS[_nibbles(b[:, 8:].reshape(-1, 16))].reshape(len(b), 8, 32)
    scaled: Floats = scales[:, :, None] * numbers
    return scaled


UNPACK: dict[str, Unpack] = {
    "F32": _plain("<f4"),
    "F16": _plain("<f2"),
    "BF16": _bf16,
    "Q8_0": _blocks(34, _q8_0),
    "Q4_0": _blocks(18, _q4_0),
    "Q4_1": _blocks(20, _q4_1),
    "Q5_0": _blocks(22, _q5_0),
    "Q5_1": _blocks(24, _q5_1),
    "Q4_K": _blocks(144, _q4_k),
    "Q5_K": _blocks(176, _q5_k),
    "Q6_K": _blocks(210, _q6_k),
    "Q2_K": _blocks(84, _q2_k),
    "Q3_K": _blocks(110, _q3_k),
    "IQ4_NL": _blocks(18, _iq4_nl),
    "IQ4_XS": _blocks(136, _iq4_xs),
}


class BlockFormat(NamedTuple):
    """Numbers and bytes of one block; the code is the place in FORMATS of engine/_stored.c."""

    code: int
    numbers: int
    bytes: int


FORMATS = {
    "F32": BlockFormat(0, 1, 4),
    "F16": BlockFormat(1, 1, 2),
    "BF16": BlockFormat(2, 1, 2),
    "Q8_0": BlockFormat(3, 32, 34),
    "Q4_0": BlockFormat(4, 32, 18),
    "Q4_1": BlockFormat(5, 32, 20),
    "Q5_0": BlockFormat(6, 32, 22),
    "Q5_1": BlockFormat(7, 32, 24),
    "Q4_K": BlockFormat(8, 256, 144),
    "Q5_K": BlockFormat(9, 256, 176),
    "Q6_K": BlockFormat(10, 256, 210),
    "Q2_K": BlockFormat(11, 256, 84),
    "Q3_K": BlockFormat(12, 256, 110),
    "IQ4_NL": BlockFormat(13, 32, 18),
    "IQ4_XS": BlockFormat(14, 256, 136),
}


@dataclass(frozen=True)
class StoredRows:
    """A matrix of rows as they are stored. Shape: raw (n, bytes of a row)"""

    raw: Raw
    kind: str
    width: int  # numbers of a row

    def __post_init__(self) -> None:
        form = FORMATS[self.kind]
        if self.width % form.numbers or self.raw.shape[1:] != (self.width // form.numbers * form.bytes,):
            raise ValueError(f"{self.raw.shape} bytes do not hold rows of {self.width} numbers as {self.kind}")

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.raw), self.width

    def unpacked(self) -> Floats:
        """All rows as float32. Shape: (n, width)"""
        return UNPACK[self.kind](self.raw, self.width)
