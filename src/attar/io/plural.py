"""Numbers of things in messages."""

from __future__ import annotations


def number_of(n: int, thing: str) -> str:
    """How many: "1 text", "1,200 texts"."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"
