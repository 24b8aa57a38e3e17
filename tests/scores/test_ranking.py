"""Ranks of partners: by hand, and against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest

from attar.errors import DataError
from attar.scores import rank
from attar.tasks.types import StsTask


def test_by_hand():
    task = StsTask("pairs", ("a", "b", "a"), ("a2", "b2", "c"), np.array([5.0, 4.5, 1.0]))
    angles = np.radians([0, 90, 0, 10, 60, 20])  # a, b, a | a2, b2, c
    found = rank(np.stack([np.cos(angles), np.sin(angles)], axis=1), task)
    # a: a2 first; a2: a and c are as near, so a is second; b: b2 first; b2: b (30), c (40): first
    assert found["queries"] == 4
    assert found["candidates"] == 4
    assert found["mrr"] == pytest.approx((1 + 1 / 2 + 1 + 1) / 4)
    assert found["hits_1"] == 0.75
    assert found["hits_3"] == 1
    assert found["low"] <= found["mrr"] <= found["high"]


def test_against_a_loop():
    random = np.random.default_rng(0)
    names = [f"t{i}" for i in range(60)]
    left, right = random.choice(names, 200), random.choice(names, 200)
    task = StsTask("pairs", tuple(left), tuple(right), random.integers(0, 6, 200).astype(float))
    of = dict(zip(names, random.normal(size=(60, 8)), strict=True))
    unit = {name: row / np.linalg.norm(row) for name, row in of.items()}
    used = sorted({*left, *right})
    asked = {(a, b) for a, b, s in zip(left, right, task.scores, strict=True) if s > 4 and a != b}
    asked |= {(b, a) for a, b in asked}
    ranks = [sum(unit[a] @ unit[c] >= unit[a] @ unit[b] - 1e-12 for c in used if c != a) for a, b in asked]
    found = rank(np.stack([of[name] for name in task.texts]), task)
    assert found["queries"] == len(asked)
    assert found["mrr"] == pytest.approx(np.mean(1 / np.array(ranks)), abs=1e-6)
    assert found["hits_3"] == pytest.approx(np.mean(np.array(ranks) <= 3))


def test_no_pair_means_the_same():
    task = StsTask("pairs", ("a", "a"), ("a", "b"), np.array([5.0, 3.0]))  # a text and itself is no question
    with pytest.raises(DataError, match="no pair of two texts of pairs has a score above 4"):
        rank(np.eye(4), task)
