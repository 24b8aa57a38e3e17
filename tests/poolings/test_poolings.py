"""Each pooling against a reference and a value by hand; one text's pooling does not see its neighbours."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.fft import dct

from attar import poolings
from attar.errors import InputError

RANDOM = np.random.default_rng(0)
LENGTHS = [4, 1, 7, 2]
OFFSETS = np.concatenate([[0], np.cumsum(LENGTHS)])
VECTORS = RANDOM.normal(size=(14, 5)).astype(np.float32)
EVEN = np.concatenate([np.full(n, 1 / n, dtype=np.float32) for n in LENGTHS])


def pool(text: str, vectors=VECTORS, weights=EVEN, offsets=OFFSETS):
    return np.concatenate([one.pool(vectors, weights, offsets) for one in poolings.parse(text)], axis=1)


def each(function):
    return np.stack([function(VECTORS[a:b]) for a, b in pairwise(OFFSETS)])


def test_by_hand():
    rows = np.array([[1.0, -2.0], [3.0, 0.0]], dtype=np.float32)
    even, offsets = np.array([0.5, 0.5], dtype=np.float32), np.array([0, 2])
    assert pool("max", rows, even, offsets).tolist() == [[3, 0]]
    assert pool("min", rows, even, offsets).tolist() == [[1, -2]]
    assert pool("mean,max", rows, even, offsets).tolist() == [[2, -1, 3, 0]]
    # (1 + 27) / 2 = 14 and (-8 + 0) / 2 = -4
    np.testing.assert_allclose(pool("power:3", rows, even, offsets), [[14 ** (1 / 3), -(4 ** (1 / 3))]], rtol=1e-6)
    # sums over the root of 2; then x cos(pi / 4) of the first less that of the second
    np.testing.assert_allclose(
        pool("dct:2", rows, even, offsets), [[4 / 2**0.5, -(2**0.5), -(2**0.5), -(2**0.5)]], 1e-6
    )


def test_against_numpy():
    np.testing.assert_array_equal(pool("max"), each(lambda rows: rows.max(axis=0)))
    np.testing.assert_array_equal(pool("min"), each(lambda rows: rows.min(axis=0)))
    np.testing.assert_allclose(pool("mean"), each(lambda rows: rows.mean(axis=0)), rtol=1e-5, atol=1e-6)
    expected = each(lambda rows: np.cbrt((rows.astype(np.float64) ** 3).mean(axis=0)))
    np.testing.assert_allclose(pool("power"), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(pool("power:1"), pool("mean"), rtol=1e-5, atol=1e-6)


def test_dct_against_scipy():
    def coefficients(rows):
        found = dct(rows, type=2, norm="ortho", axis=0)[:3]
        return np.concatenate([found, np.zeros((3 - len(found), 5))]).ravel()

    np.testing.assert_allclose(pool("dct:3"), each(coefficients), rtol=1e-4, atol=1e-5)


@given(st.lists(st.floats(0.1, 10), min_size=14, max_size=14))
def test_coefficient_0_is_proportional_to_the_weighted_mean(raw):
    weights = np.array(raw, dtype=np.float32)
    weights /= np.repeat(np.add.reduceat(weights, OFFSETS[:-1]), LENGTHS)
    expected = pool("mean", weights=weights) * np.sqrt(LENGTHS)[:, None]
    np.testing.assert_allclose(pool("dct:1", weights=weights), expected, rtol=1e-4, atol=1e-5)


def test_great_powers_neither_overflow_nor_vanish():
    rows = np.array([[1e30, 1e-30], [1e30, -1e-30]], dtype=np.float32)
    found = pool("power:63", rows, np.array([0.5, 0.5], dtype=np.float32), np.array([0, 2]))
    np.testing.assert_allclose(found, [[1e30, 0]], rtol=1e-6)
    assert not pool("power:3", np.zeros((2, 2), np.float32), np.array([0.5, 0.5]), np.array([0, 2])).any()


@pytest.mark.parametrize("text", ["max", "mean,max,min", "power", "power:5", "dct:3,max"])
def test_names_round_trip(text):
    assert poolings.text(poolings.parse(text)) == text


def test_the_default_of_dct_is_written_out():
    assert poolings.text(poolings.parse("dct")) == "dct:2"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("maks", "unknown pooling 'maks'; allowed: mean, max, min, power, dct"),
        ("max,max", "names one twice"),
        ("max:2", "max takes no number; only power, dct do"),
        ("power:2", "p=2 is not allowed; give an odd number"),
        ("dct:0", "n=0 is not allowed; give a whole number from 1 to 64"),
        ("max@background", "leave out @background"),
    ],
)
def test_mistakes_are_explained(text, told):
    with pytest.raises(InputError, match=told):
        poolings.parse(text)
