"""IsoScore from the covariance against the published algorithm, and values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.errors import InputError
from attar.scores import isoscore


def published_algorithm(vectors: np.ndarray) -> float:
    """Rudman et al., step by step: reorient, normalise the variances, distance from isotropy, rescale."""
    n_dims = vectors.shape[1]
    centred = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=True)
    variances = np.diag(np.cov(centred @ axes.T, rowvar=False))
    normalised = np.sqrt(n_dims) * variances / np.linalg.norm(variances)
    defect = np.linalg.norm(normalised - 1) / np.sqrt(2 * (n_dims - np.sqrt(n_dims)))
    used = (n_dims - defect**2 * (n_dims - np.sqrt(n_dims))) ** 2 / n_dims**2
    return (n_dims * used - 1) / (n_dims - 1)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 40), st.integers(2, 12), st.integers(0, 10**6))
def test_equal_to_the_published_algorithm(n: int, dims: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(n, dims)) * random.uniform(0, 3, size=dims) + random.normal(size=dims)
    assert isoscore(vectors) == pytest.approx(published_algorithm(vectors), abs=1e-9)


def test_by_hand() -> None:
    # variances in the proportion 2 : 1, no covariance: (9 / 5 - 1) / (2 - 1) = 0.8
    vectors = np.array([[np.sqrt(2), 0], [-np.sqrt(2), 0], [0, 1], [0, -1]])
    assert isoscore(vectors) == pytest.approx(0.8)


def test_one_direction_scores_zero_and_all_alike_one() -> None:
    line = np.outer(np.arange(10.0), [1, 2, 3])
    assert isoscore(line) == pytest.approx(0, abs=1e-12)
    cross = np.vstack([np.eye(5), -np.eye(5)])
    assert isoscore(cross) == pytest.approx(1)


def test_place_scale_and_rotation_do_not_matter() -> None:
    random = np.random.default_rng(1)
    vectors = random.normal(size=(300, 6)) * [5, 4, 3, 2, 1, 0.5]
    turned = vectors @ np.linalg.qr(random.normal(size=(6, 6)))[0]
    for other in (vectors + 100, vectors * 1e-8, vectors * 1e100, turned):
        assert isoscore(other) == pytest.approx(isoscore(vectors), rel=1e-9)


def test_blocks_of_rows_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = np.random.default_rng(2).normal(size=(100, 5)).astype(np.float32)
    whole = isoscore(vectors)
    monkeypatch.setattr("attar.scores.isotropy.BLOCK", 7)
    assert isoscore(vectors) == pytest.approx(whole, rel=1e-12)


def test_equal_vectors_use_no_direction() -> None:
    assert isoscore(np.ones((4, 3))) == 0


@pytest.mark.parametrize("shape", [(1, 5), (5, 1)])
def test_too_few_rows_or_dims(shape: tuple[int, int]) -> None:
    with pytest.raises(InputError, match=r"at least 2 vectors of at least 2 dims"):
        isoscore(np.ones(shape))
