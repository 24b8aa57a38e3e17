from __future__ import annotations

import numpy as np
import pytest

from attar.errors import InputError
from attar.scores.rows import checked_rows


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (3,), (2, 3, 4)])
def test_shapes_that_are_no_vectors(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=r"scores need \(texts, dims\)"):
        checked_rows(np.ones(shape))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_rows_that_are_not_finite_are_named(value: float) -> None:
    rows = np.ones((4, 3), dtype=np.float32)
    rows[2, 1] = value
    with pytest.raises(InputError, match=r"1 of 4 vectors hold NaN or infinity \(the first is row 2\)"):
        checked_rows(rows)


def test_large_float32_values_are_finite() -> None:
    rows = np.full((2, 50), 3e38, dtype=np.float32)
    assert checked_rows(rows) is rows


@pytest.mark.parametrize(("given", "kept"), [("f8", "f8"), ("f4", "f4"), ("f2", "f4"), ("i8", "f4")])
def test_numbers_become_floats(given: str, kept: str) -> None:
    assert checked_rows(np.ones((2, 2), dtype=given)).dtype == kept


@pytest.mark.parametrize("rows", [np.array([["a"]]), np.array([[1j]]), np.array([[None]], dtype=object)])
def test_other_things_are_refused(rows: np.ndarray) -> None:
    with pytest.raises(InputError, match="scores need real numbers"):
        checked_rows(rows)
