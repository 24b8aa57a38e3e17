"""CellRow: one scored cell of a sweep, as it is kept and shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CellRow:
    """One scored cell. Scores are from 0 to 1, as `attar.scores` gives them; None where `error` says why."""

    cell: str  # the hash of all that determines the score
    task: str
    model: str
    template: str
    layers: str  # "1+12"
    weights: str
    shape: str  # "zscore,unit"; "none"
    mix: float  # the weight of Avg.
    family: str
    metric: str
    texts: int  # how many the task had
    score: float | None
    low: float | None
    high: float | None
    error: str | None
    recipe: str  # JSON
    details: str  # JSON: rows sampled, runs, corpora
    attar: str  # version
    model_sha256: str
    seconds: float
