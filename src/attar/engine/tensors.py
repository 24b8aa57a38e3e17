"""Arrays as torch's tensors, for callers who want them."""

from __future__ import annotations

from typing import Any

import numpy as np

from attar.errors import MissingExtra
from attar.types import Floats


def to_tensor(vectors: Floats) -> Any:
    """A tensor of the same numbers, with memory of its own."""
    try:
        import torch
    except ImportError:
        raise MissingExtra("convert_to_tensor=True", "models") from None
    return torch.from_numpy(np.array(vectors))
