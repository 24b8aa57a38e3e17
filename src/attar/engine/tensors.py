"""Arrays as torch's tensors, for callers who want them."""

from __future__ import annotations

from typing import Any

import numpy as np

from attar.errors import MissingExtra
from attar.types import Floats


def is_tensor(values: Any) -> bool:
    """Whether these are torch's; torch is not imported to see it."""
    return type(values).__module__.partition(".")[0] == "torch"


def to_array(values: Any) -> Floats:
    """Numbers in rows, whoever holds them: arrays, tensors on any device, lists of either. Shape: (N, D)"""
    if is_tensor(values):
        values = values.detach().cpu().float().numpy()
    elif isinstance(values, (list, tuple)) and any(map(is_tensor, values)):
        values = [to_array(value)[0] for value in values]
    rows: Floats = np.atleast_2d(np.asarray(values, dtype=np.float32))
    return rows


def to_tensor(vectors: Floats) -> Any:
    """A tensor of the same numbers, with memory of its own."""
    try:
        import torch
    except ImportError:
        raise MissingExtra("convert_to_tensor=True", "models") from None
    return torch.from_numpy(np.array(vectors))
