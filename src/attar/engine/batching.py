"""Which sequences go through the model together: by token budget, over sequences sorted by length."""

from __future__ import annotations

import numpy as np

from attar.types import Ints

PACKED_BUDGET = 1024  # tokens; measured on two AVX2 cores, larger ones gain nothing
LEAST_BUDGET = 128  # below, the weights are read too often for too few tokens
EQUAL_BUDGET = 2048


def even_budget(n_tokens: int, n_workers: int, best: int) -> int:
    """Tokens per batch, so that all workers have as many batches, of nearly the best size."""
    rounds = max(1, round(n_tokens / best / n_workers))
    return max(LEAST_BUDGET, -(-n_tokens // (rounds * n_workers)))


def packed_batches(lengths: Ints, n_workers: int = 1, budget: int | None = None) -> list[Ints]:
    """Runs of the length-sorted sequences, longest first, each of about `budget` tokens; empty sequences left out."""
    budget = budget or even_budget(int(lengths.sum()), n_workers, PACKED_BUDGET)
    order = np.argsort(-lengths, kind="stable")
    order = order[lengths[order] > 0]
    batch = (np.cumsum(lengths[order]) - 1) // budget
    return np.split(order, np.flatnonzero(np.diff(batch)) + 1) if len(order) else []


def equal_batches(lengths: Ints, n_workers: int = 1, budget: int | None = None) -> list[Ints]:
    """Sequences of one length together, about `budget` tokens per batch: no padding, no mask."""
    budget = budget or even_budget(int(lengths.sum()), n_workers, EQUAL_BUDGET)
    order = np.argsort(-lengths, kind="stable")
    order = order[lengths[order] > 0]
    if not len(order):
        return []
    batches = []
    for group in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        size = max(1, budget // int(lengths[group[0]]))
        batches += [group[i : i + size] for i in range(0, len(group), size)]
    return batches


def length_groups(lengths: Ints) -> list[tuple[int, int]]:
    """(how many, how long) for each run of equal lengths."""
    edges = np.flatnonzero(np.diff(lengths)) + 1
    return [(len(run), int(run[0])) for run in np.split(lengths, edges)] if len(lengths) else []
