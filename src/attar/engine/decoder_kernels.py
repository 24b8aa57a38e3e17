"""What stands between the matrix products of a decoder: compiled where that was built, else by numpy."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np

from attar.engine.decoder_library import at, decoder_library, stride
from attar.types import Floats, Ints

_ROWS, _KEYS = 4, 16  # as in _decoder.c
GATES = ("silu", "gelu_tanh")  # their places are the kinds of attar_gate


class Shared(NamedTuple):
    """Keys and values of the tokens with which all sequences begin. Shape: (P, G Dh)"""

    keys: Floats
    values: Floats


class Turning:
    """Rotary places: how fast each pair of dims of a head turns. Shape: (half)

    `neighbours`: a pair is (2 i, 2 i + 1); else (i, i + half).
    """

    def __init__(self, speeds: Floats, neighbours: bool) -> None:
        self.speeds, self.neighbours = speeds, neighbours
        self._tables = self._turned(64)

    def tables(self, n_places: int) -> tuple[Floats, Floats]:
        """Cosines and sines of so many places, or more. Shape: (P, half)"""
        tables = self._tables
        if len(tables[0]) < n_places:
            tables = self._tables = self._turned(2 * n_places)
        return tables

    def _turned(self, n_places: int) -> tuple[Floats, Floats]:
        angles = np.arange(n_places, dtype=np.float32)[:, None] * self.speeds
        return np.cos(angles), np.sin(angles)


class Heads(NamedTuple):
    """How many read, how many are read, and their dims. `window`: how many tokens each sees, itself too; 0 for all."""

    queries: int
    keys: int
    dims: int
    scale: float
    window: int = 0


class DecoderKernels(Protocol):
    """The steps of a block of a decoder."""

    def rms_norm(self, x: Floats, gain: Floats, epsilon: float) -> Floats:
        """Shape: (T, D), (D) -> (T, D); or (T, H Dh), (Dh) for each head by itself"""
        ...

    def layer_norm(self, x: Floats, gain: Floats, offset: Floats, epsilon: float) -> Floats:
        """Shape: (T, D), (D), (D) -> (T, D)"""
        ...

    def rotate(self, x: Floats, places: Ints, turning: Turning, dims: int) -> None:
        """Turns every head of x, of so many dims, by its place. Shape: (T, H Dh), (T)"""
        ...

    def attention(
        self, queries: Floats, keys: Floats, values: Floats, shared: Shared, lengths: Ints, heads: Heads
    ) -> Floats:
        """Each token attends to itself and what is before it. Shape: (T, H Dh), (T, G Dh) twice -> (T, H Dh)"""
        ...

    def gate(self, x: Floats, factor: Floats | None, kind: str) -> None:
        """x = act(x) * factor, in place. Shape: (T, D)"""
        ...


class CompiledDecoder:
    """One pass over memory each; heads whose dims are no multiple of 8 go to numpy."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def rms_norm(self, x: Floats, gain: Floats, epsilon: float) -> Floats:
        out = np.empty(x.shape, dtype=np.float32)
        width = len(gain)
        for start in range(0, x.shape[1], width):
            part, target = x[:, start:], out[:, start:]
            sizes = len(x), width, at(target), stride(target)
            self._library.attar_rms_norm(at(part), stride(part), at(gain), epsilon, *sizes)
        return out

    def layer_norm(self, x: Floats, gain: Floats, offset: Floats, epsilon: float) -> Floats:
        out = np.empty(x.shape, dtype=np.float32)
        self._library.attar_layer_norm(at(x), at(gain), at(offset), epsilon, *x.shape, at(out))
        return out

    def rotate(self, x: Floats, places: Ints, turning: Turning, dims: int) -> None:
        cosines, sines = turning.tables(int(places.max(initial=0)) + 1)
        sizes = len(x), x.shape[1] // dims, dims, len(turning.speeds), int(turning.neighbours)
        self._library.attar_rotate(at(x), stride(x), at(places), at(cosines), at(sines), *sizes)

    def attention(
        self, queries: Floats, keys: Floats, values: Floats, shared: Shared, lengths: Ints, heads: Heads
    ) -> Floats:
        if heads.dims % 8:
            return NumpyDecoder().attention(queries, keys, values, shared, lengths, heads)
        out = np.empty((len(queries), heads.queries * heads.dims), dtype=np.float32)
        most = len(shared.keys) + int(lengths.max(initial=0)) + 2 * _KEYS
        scratch = np.empty((heads.dims + _ROWS) * most + _ROWS * heads.dims, dtype=np.float32)
        rows = [place for x in (queries, keys, values) for place in (at(x), stride(x))]
        begun = at(shared.keys), at(shared.values), len(shared.keys)
        sizes = at(lengths), len(lengths), heads.queries, heads.keys, heads.dims, heads.scale, heads.window
        self._library.attar_attend_before(*rows, *begun, *sizes, at(scratch), at(out))
        return out

    def gate(self, x: Floats, factor: Floats | None, kind: str) -> None:
        self._library.attar_gate(at(x), None if factor is None else at(factor), GATES.index(kind), x.size)


class NumpyDecoder:
    """The reference, and what runs uncompiled."""

    def rms_norm(self, x: Floats, gain: Floats, epsilon: float) -> Floats:
        rows = x.reshape(len(x), -1, len(gain))
        scale = 1 / np.sqrt(np.mean(rows * rows, axis=2, keepdims=True) + np.float32(epsilon))
        normed: Floats = (rows * scale * gain).reshape(x.shape)
        return normed

    def layer_norm(self, x: Floats, gain: Floats, offset: Floats, epsilon: float) -> Floats:
        centred = x - x.mean(axis=1, keepdims=True)
        variance = np.mean(centred * centred, axis=1, keepdims=True)
        normed: Floats = centred / np.sqrt(variance + np.float32(epsilon)) * gain + offset
        return normed

    def rotate(self, x: Floats, places: Ints, turning: Turning, dims: int) -> None:
        half, step = len(turning.speeds), 1 + turning.neighbours
        heads = np.lib.stride_tricks.as_strided(
            x, (len(x), x.shape[1] // dims, dims), (x.strides[0], dims * x.itemsize, x.itemsize)
        )
        first = slice(0, step * half, step)
        second = slice(1, 2 * half, 2) if turning.neighbours else slice(half, 2 * half)
        cosines, sines = (table[places][:, None] for table in turning.tables(int(places.max(initial=0)) + 1))
        a, b = heads[:, :, first].copy(), heads[:, :, second].copy()
        heads[:, :, first], heads[:, :, second] = a * cosines - b * sines, b * cosines + a * sines

    def attention(
        self, queries: Floats, keys: Floats, values: Floats, shared: Shared, lengths: Ints, heads: Heads
    ) -> Floats:
        out = np.empty((len(queries), heads.queries * heads.dims), dtype=np.float32)
        ends = np.cumsum(lengths)
        for start, end in zip(ends - lengths, ends, strict=True):
            own = slice(start, end)
            k, v = (np.concatenate([a, b[own]]) for a, b in ((shared.keys, keys), (shared.values, values)))
            out[own] = _attend(queries[own], k, v, heads)
        return out

    def gate(self, x: Floats, factor: Floats | None, kind: str) -> None:
        inner = x if kind == "silu" else np.float32(1.5957691216) * (x + np.float32(0.044715) * x * x * x)
        x /= 1 + np.exp(-inner)
        if factor is not None:
            x *= factor


def _attend(queries: Floats, keys: Floats, values: Floats, heads: Heads) -> Floats:
    """One sequence, of which the last tokens are queries. Shape: (T, H Dh), (K, G Dh) twice -> (T, H Dh)"""
    q = queries.reshape(len(queries), heads.keys, -1, heads.dims).transpose(1, 2, 0, 3)  # (G, H / G, T, Dh)
    k, v = (x.reshape(len(x), heads.keys, 1, heads.dims).transpose(1, 2, 0, 3) for x in (keys, values))
    scores = np.matmul(q * np.float32(heads.scale), k.swapaxes(2, 3))  # (G, H / G, T, K)
    before = np.arange(len(keys) - len(queries), len(keys))[:, None] - np.arange(len(keys))  # (T, K)
    scores[..., (before < 0) | (before >= (heads.window or len(keys)))] = -np.inf
    shares = np.exp(scores - scores.max(axis=3, keepdims=True))
    shares /= shares.sum(axis=3, keepdims=True)
    mixed: Floats = np.matmul(shares, v).transpose(2, 0, 1, 3).reshape(len(queries), -1)
    return mixed


@cache
def decoder_kernels() -> DecoderKernels:
    library = decoder_library()
    return NumpyDecoder() if library is None else CompiledDecoder(library)
