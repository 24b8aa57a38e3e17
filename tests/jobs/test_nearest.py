"""Blocked neighbours and pairs against the whole product."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.errors import InputError
from attar.jobs import nearest as module
from attar.jobs.nearest import close_pairs, nearest, nearest_in, nearest_other
from attar.shapers import Unit
from attar.types import Floats, Ints


def units(n: int, seed: int = 0, dims: int = 5) -> Floats:
    made: Floats = Unit().transform(np.random.default_rng(seed).normal(size=(n, dims)).astype(np.float32))
    return made


def both(left: Ints, right: Ints) -> set[tuple[int, int]]:
    return set(zip(left.tolist(), right.tolist(), strict=True))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(module, "QUERIES_AT_ONCE", 4)


def test_by_hand() -> None:
    rows = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    found = nearest(np.array([[1, 0]], dtype=np.float32), [rows], 2)
    assert found.rows.tolist() == [[0, 2]]
    np.testing.assert_allclose(found.cosines, [[1, 0.6]], rtol=1e-6)
    np.testing.assert_allclose(nearest_other(rows), [0.6, 0.8, 0.8], rtol=1e-6)
    pairs = close_pairs(rows, 0.7)
    assert (pairs.left.tolist(), pairs.right.tolist()) == ([1], [2])


@settings(max_examples=40)
@given(n=st.integers(1, 40), q=st.integers(0, 11), k=st.integers(1, 50), cut=st.integers(0, 40))
def test_equals_sorting_the_whole_product(n: int, q: int, k: int, cut: int) -> None:
    rows, queries = units(n), units(q, seed=1)
    found = nearest(queries, [rows[:cut], rows[cut:]], k)
    product = queries @ rows.T
    assert found.rows.shape == (q, min(n, k))
    np.testing.assert_array_equal(found.rows, np.argsort(-product, axis=1, kind="stable")[:, :k])
    np.testing.assert_allclose(found.cosines, -np.sort(-product, axis=1)[:, :k], atol=1e-6)


@settings(max_examples=40)
@given(n=st.integers(2, 30), m=st.integers(1, 30), threshold=st.floats(-0.5, 0.99))
def test_pairs_equal_those_of_the_whole_product(n: int, m: int, threshold: float) -> None:
    a, b = units(n), units(m, seed=2)
    product = a @ a.T
    upper = np.triu(np.ones((n, n), dtype=bool), 1)
    pairs = close_pairs(a, threshold)
    assert set(zip(pairs.left, pairs.right, strict=True)) == set(
        zip(*np.nonzero(upper & (product >= threshold)), strict=True)
    )
    assert (np.diff(pairs.cosines) <= 0).all()
    between = close_pairs(a, threshold, b)
    assert set(zip(between.left, between.right, strict=True)) == set(
        zip(*np.nonzero(a @ b.T >= threshold), strict=True)
    )
    np.testing.assert_allclose(nearest_other(a), np.where(np.eye(n) == 1, -2, product).max(axis=1), atol=1e-6)
    np.testing.assert_allclose(nearest_in(a, b), (a @ b.T).max(axis=1), atol=1e-6)


def test_equal_cosines_come_in_the_order_of_rows() -> None:
    rows = np.tile(units(1), (20, 1))
    assert nearest(rows[:1], [rows], 20).rows.tolist() == [list(range(20))]


def test_no_neighbours_are_refused() -> None:
    with pytest.raises(InputError, match="0 neighbours"):
        nearest(units(1), [units(3)], 0)
