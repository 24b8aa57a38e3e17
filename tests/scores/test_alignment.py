from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.special import logsumexp

from attar.errors import DataError, InputError
from attar.scores import alignment, uniformity
from attar.tasks.types import StsTask

PAIRS = StsTask("pairs", ("a", "b", "c"), ("d", "e", "f"), np.array([5.0, 2.0, 5.0]))


def reference_uniformity(rows: np.ndarray) -> float:
    distances = pdist(rows, "sqeuclidean")
    return float(logsumexp(-2 * distances) - np.log(len(distances)))


def test_alignment_by_hand() -> None:
    # the pairs of score 5 are the first (a right angle: 2) and the last (the same direction: 0)
    vectors = np.array([[3, 0], [1, 1], [0, 2], [0, 4], [5, 5], [0, 7]], dtype=np.float32)
    assert alignment(vectors, PAIRS) == pytest.approx(1.0)
    assert alignment(vectors, PAIRS, unit=False) == pytest.approx((25 + 25) / 2)
    assert alignment(vectors, PAIRS, score=2) == pytest.approx(2 / 3)


def test_uniformity_by_hand() -> None:
    # squared distances 2, 4 and 2 between (1, 0), (0, 1) and (-1, 0)
    vectors = np.array([[2, 0], [0, 1], [-3, 0]], dtype=np.float32)
    assert uniformity(vectors) == pytest.approx(np.log((2 * np.exp(-4) + np.exp(-8)) / 3), rel=1e-6)


@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("block", [7, 2048])
def test_uniformity_equals_all_distances(monkeypatch: pytest.MonkeyPatch, unit: bool, block: int) -> None:
    monkeypatch.setattr(import_module("attar.scores.alignment"), "BLOCK", block)
    vectors = np.random.default_rng(0).normal(size=(64, 5)) + 2
    rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True) if unit else vectors
    assert uniformity(vectors, unit=unit) == pytest.approx(reference_uniformity(rows), rel=1e-5)


def test_long_vectors_do_not_end_at_minus_infinity() -> None:
    vectors = np.random.default_rng(0).normal(size=(20, 50)) * 100
    assert uniformity(vectors, unit=False) == pytest.approx(reference_uniformity(vectors), rel=1e-4)


def test_the_ends_of_uniformity() -> None:
    assert uniformity(np.ones((5, 3))) == pytest.approx(0, abs=1e-5)
    assert uniformity(np.array([[1.0, 0], [-1.0, 0]])) == pytest.approx(-8)


def test_length_matters_only_if_asked() -> None:
    vectors = np.random.default_rng(0).normal(size=(6, 4))
    assert alignment(7 * vectors, PAIRS) == pytest.approx(alignment(vectors, PAIRS))
    assert alignment(7 * vectors, PAIRS, unit=False) == pytest.approx(49 * alignment(vectors, PAIRS, unit=False))


def test_zero_vectors_stay_zero() -> None:
    assert alignment(np.zeros((6, 4)), PAIRS) == 0


def test_no_pair_that_means_the_same() -> None:
    low = StsTask("low", ("a",), ("b",), np.array([3.5]))
    with pytest.raises(DataError, match=r"no pair of low has a score of 5 or more \(its highest is 3.5\)"):
        alignment(np.ones((2, 3)), low)


def test_one_vector_makes_no_pair() -> None:
    with pytest.raises(InputError, match="pass at least 2"):
        uniformity(np.ones((1, 3)))


def test_wrong_number_of_rows() -> None:
    with pytest.raises(InputError, match="4 vectors for the 6 texts of pairs"):
        alignment(np.ones((4, 3)), PAIRS)
