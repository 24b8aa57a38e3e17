"""Cells without a score, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from attar.errors import InputError
from attar.sweep.store import CellRow


def failures(rows: Sequence[CellRow]) -> str | None:
    """How many cells have no score and the reason that most of them have; None where all have one."""
    reasons = Counter(row.error or "no reason is known" for row in rows if row.score is None)
    if not reasons:
        return None
    (reason, n), total = reasons.most_common(1)[0], reasons.total()
    cells = "1 cell has" if total == 1 else f"{total:,} cells have"
    return f"{cells} no score: {reason}" + ("" if n == total else f" ({n:,} of them; attar report lists the rest)")


def check_scored(rows: Sequence[CellRow], where: str) -> None:
    """Refuses a run that can't be shown: none of its cells has a score."""
    if not any(row.score is not None for row in rows):
        raise InputError(f"nothing to show of {where}: {failures(rows) or 'it has no cell yet; run attar sweep first'}")
