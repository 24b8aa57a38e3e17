"""A packed block of a causal decoder: a norm before attention and before the feed-forward network, residuals around.

Llama-like models, GPT-2, OPT and GPT-NeoX differ only in which norm, which places, which activation, and whether both
halves read the same input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from attar.engine.decoder_kernels import DecoderKernels, Heads, Shared, Turning
from attar.engine.stored import Stored
from attar.types import Floats, Ints

Normalize = Callable[[Floats], Floats]  # (T, D) -> (T, D), the input left as it is
Project = Callable[[Floats], tuple[Floats, Floats, Floats]]  # to queries, keys and values
Keep = Callable[[Shared], None]  # is given the keys and values of a run of tokens


@dataclass(frozen=True)
class Linear:
    """A dense layer, with or without biases."""

    weight: Stored
    bias: Floats | None = None
    brief: bool = False  # multiplies what bfloat16 can hold

    def __call__(self, x: Floats) -> Floats:
        out = self.weight.times(x, self.brief)
        if self.bias is not None:
            out += self.bias
        return out


class Feed(Protocol):
    def __call__(self, x: Floats) -> Floats:
        """Shape: (T, D) -> (T, D)"""
        ...


@dataclass(frozen=True)
class GatedFeed:
    """act(gate x) * (up x), narrowed: Llama's."""

    gate: Linear
    up: Linear
    down: Linear
    activation: str
    kernels: DecoderKernels

    def __call__(self, x: Floats) -> Floats:
        wide = self.gate(x)
        self.kernels.gate(wide, self.up(x), self.activation)
        return self.down(wide)


@dataclass(frozen=True)
class JoinedFeed:
    """The same with both halves in one product: Phi-3's."""

    gate_and_up: Linear
    down: Linear
    activation: str
    kernels: DecoderKernels

    def __call__(self, x: Floats) -> Floats:
        gate, up = np.split(self.gate_and_up(x), 2, axis=1)
        wide = np.ascontiguousarray(gate)
        self.kernels.gate(wide, np.ascontiguousarray(up), self.activation)
        return self.down(wide)


@dataclass(frozen=True)
class PlainFeed:
    """act(up x), narrowed: GPT-2's."""

    up: Linear
    down: Linear
    activate: Callable[[Floats], None]  # in place

    def __call__(self, x: Floats) -> Floats:
        wide = self.up(x)
        self.activate(wide)
        return self.down(wide)


@dataclass(frozen=True)
class Attention:
    """Queries, keys and values from one input, turned by their places where the model does so, and mixed."""

    project: Project
    mix: Linear
    heads: Heads
    kernels: DecoderKernels
    turning: Turning | None = None
    query_norm: Normalize | None = None
    key_norm: Normalize | None = None

    def __call__(self, x: Floats, lengths: Ints, places: Ints, shared: Shared, keep: Keep) -> Floats:
        """Shape: (T, D), (N), (T) -> (T, D)"""
        q, k, v = self.project(x)
        q = q if self.query_norm is None else self.query_norm(q)
        k = k if self.key_norm is None else self.key_norm(k)
        if self.turning is not None:
            for part in (q, k):
                self.kernels.rotate(part, places, self.turning, self.heads.dims)
        keep(Shared(k, v))
        return self.mix(self.kernels.attention(q, k, v, shared, lengths, self.heads))


@dataclass(frozen=True)
class DecoderBlock:
    """Runs one block; `shared` are the keys and values that this block kept of the common beginning."""

    before_attention: Normalize
    attention: Attention
    before_feed: Normalize
    feed: Feed
    parallel: bool = False  # both halves read the block's input
    after_attention: Normalize | None = None
    after_feed: Normalize | None = None

    def __call__(self, x: Floats, lengths: Ints, places: Ints, shared: Shared, keep: Keep) -> Floats:
        """Shape: (T, D), (N), (T) -> (T, D)"""
        mixed = self.attention(self.before_attention(x), lengths, places, shared, keep)
        mixed = mixed if self.after_attention is None else self.after_attention(mixed)
        if self.parallel:
            mixed += x
            mixed += self.feed(self.before_feed(x))
            return mixed
        mixed += x
        fed = self.feed(self.before_feed(mixed))
        mixed += fed if self.after_feed is None else self.after_feed(fed)
        return mixed

    @property
    def nothing_shared(self) -> Shared:
        empty = np.empty((0, self.attention.heads.keys * self.attention.heads.dims), dtype=np.float32)
        return Shared(empty, empty)


def split(linear: Linear, width: int, width_of_keys: int | None = None) -> Project:
    """Queries, keys and values that stand side by side in one product."""
    keys = width + (width if width_of_keys is None else width_of_keys)

    def project(x: Floats) -> tuple[Floats, Floats, Floats]:
        together = linear(x)
        return together[:, :width], together[:, width:keys], together[:, keys:]

    return project
