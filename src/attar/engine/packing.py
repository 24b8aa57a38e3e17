"""Attention over sequences laid end to end: each attends to itself alone, without padding and without a mask.

Registered with transformers' attention interface, so it serves every architecture that goes through it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from attar.types import Ints

NAME = "attar_packed"
_current = threading.local()


class CannotPack(Exception):
    """The architecture's attention wants something that packed sequences can't give."""


@contextmanager
def packed(groups: list[tuple[int, int]]) -> Iterator[None]:
    """For this thread's forward passes: the packed batch holds, in order, runs of (how many, how long) sequences."""
    _current.groups = groups
    _current.lengths = np.repeat([long for _, long in groups], [many for many, _ in groups]).astype(np.int64)
    try:
        yield
    finally:
        _current.groups = _current.lengths = None


def current_lengths() -> Ints | None:
    """The lengths of the sequences in this thread's packed batch; None outside of one. Shape: (N,)"""
    lengths: Ints | None = getattr(_current, "lengths", None)
    return lengths


def packed_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    is_causal: bool | None = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """Shape: query (1, H, T, Dh), key and value (1, H or fewer, T, Dh); result (1, T, H, Dh)"""
    groups = getattr(_current, "groups", None)
    if groups is None or attention_mask is not None or any(kwargs.get(k) is not None for k in _UNSUPPORTED):
        raise CannotPack
    causal = bool(getattr(module, "is_causal", False)) if is_causal is None else is_causal
    q, k, v = (x[0].transpose(0, 1) for x in (query, key, value))  # (T, H, Dh)
    out = torch.empty(q.shape[0], q.shape[1], v.shape[2], dtype=q.dtype, device=q.device)
    start = 0
    for many, long in groups:
        end = start + many * long
        mask = _window_mask(long, sliding_window, causal, q.device)
        own = [x[start:end].unflatten(0, (many, long)).transpose(1, 2) for x in (q, k, v)]  # (many, H, long, Dh)
        attended = scaled_dot_product_attention(
            own[0],
            own[1],
            own[2],
            attn_mask=mask,
            is_causal=causal and mask is None,
            scale=scaling,
            enable_gqa=q.shape[1] != k.shape[1],
        )
        out[start:end].unflatten(0, (many, long)).copy_(attended.transpose(1, 2))
        start = end
    return out.unsqueeze(0), None


_UNSUPPORTED = ("position_bias", "softcap", "s_aux", "head_mask")


def _window_mask(length: int, window: int | None, causal: bool, device: torch.device) -> torch.Tensor | None:
    """Tokens see others less than `window` away; None where that is all of them. Shape: (length, length)"""
    if window is None or length <= window:
        return None
    place = torch.arange(length, device=device)
    distance = place[:, None] - place[None, :]
    near = distance.abs() < window
    return near & (distance >= 0) if causal else near


def window(config: Any) -> int | None:
    """Of the windows or chunks of tokens that a model's attention sees, the smallest; None where it has none."""
    own = text_config(config)
    named = [getattr(own, name, None) for name in ("sliding_window", "attention_chunk_size")]
    return min((size for size in named if isinstance(size, int) and size > 0), default=None)


def other_places_from(config: Any) -> set[int]:
    """The numbers of tokens beyond which a model turns all its places otherwise, those of the whole batch."""
    own = text_config(config)
    given = getattr(own, "rope_parameters", None) or {}
    kinds = [
        kind for kind in (given, *given.values()) if isinstance(kind, dict) and kind.get("rope_type") == "longrope"
    ]
    known = [kind.get("original_max_position_embeddings") for kind in kinds]
    return {size for size in known if isinstance(size, int) and size > 0}


def text_config(config: Any) -> Any:
    """The part about texts of the settings of a model that also reads something else."""
    return getattr(config, "text_config", None) or config


def group_embeddings(embeddings: torch.nn.Module) -> Callable[[], None]:
    """Make an embedding layer that looks at neighbouring tokens see each sequence alone; returns how to undo it."""
    plain = embeddings.forward

    def forward(input_ids: torch.Tensor | None = None, **kwargs: Any) -> torch.Tensor:
        groups = getattr(_current, "groups", None)
        if groups is None or input_ids is None:
            return plain(input_ids=input_ids, **kwargs)
        kwargs.pop("position_ids", None)  # counted anew in each row
        pieces, start = [], 0
        for many, long in groups:
            rows = input_ids[0, start : start + many * long].view(many, long)
            pieces.append(plain(input_ids=rows, **kwargs).flatten(0, 1))  # (many * long, D)
            start += many * long
        return torch.cat(pieces)[None]

    embeddings.forward = forward

    def undo() -> None:
        embeddings.forward = plain

    return undo


def register() -> None:
    from transformers import AttentionInterface

    AttentionInterface.register(NAME, packed_attention)
