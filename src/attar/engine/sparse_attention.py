"""BigBird's attention to a few blocks of tokens, which such a model leaves for good at its first short text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SPARSE, _WHOLE = "block_sparse", "original_full"


def whole_up_to(model: Any) -> int | None:
    """How many tokens such a model attends to as a whole; None for one that always does, or never."""
    config = model.config
    if getattr(config, "attention_type", None) != _SPARSE or not hasattr(model, "set_attention_type"):
        return None
    return int((5 + 2 * config.num_random_blocks) * config.block_size)


@contextmanager
def sparse(model: Any) -> Iterator[None]:
    """For the passes inside, as it was loaded."""
    model.set_attention_type(_SPARSE)
    try:
        yield
    finally:
        model.set_attention_type(_WHOLE)
