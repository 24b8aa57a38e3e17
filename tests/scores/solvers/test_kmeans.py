"""k-means against scikit-learn's: the same path from the same centres, and results as good from its own.

By numpy and by bytes, with each set of instructions; the last two give the same bits.
"""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from attar.engine.byte_rows import ByteRows
from attar.engine.kernels import compiled_kernels
from attar.errors import DataError, InputError
from attar.scores.solvers.kmeans import kmeans, lloyd
from attar.scores.solvers.seeding import spread_seeds


@pytest.fixture(scope="module")
def clouds() -> np.ndarray:
    """12 clouds that overlap."""
    random = np.random.default_rng(0)
    centers = random.normal(size=(12, 10)) * 1.5
    return (centers[random.integers(12, size=1500)] + random.normal(size=(1500, 10)) + 20).astype(np.float32)


@pytest.fixture(params=["none", "avx2", "avx512", "all"], autouse=True)
def limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(import_module("attar.scores.solvers.kmeans"), "byte_rows", lambda x: held_by(request.param, x))
    return request.param


def held_by(limit: str, rows: np.ndarray) -> ByteRows | None:
    """The rows as bytes, with no more than these instructions."""
    kernels = compiled_kernels(limit)
    if kernels is None and limit != "none":
        pytest.skip("the C kernels are not built, or not for this processor")
    return None if kernels is None else ByteRows(kernels, rows)


def run_lloyd(x: np.ndarray, start: np.ndarray, limit: str, tol: float = 1e-4):
    mean = x.mean(axis=0, dtype=np.float64)
    rows = (x - mean).astype(np.float32)
    return lloyd(rows, (start - mean).astype(np.float32)[None], tol, 300, mean, held_by(limit, rows))


def test_by_hand() -> None:
    x = np.array([[0.0], [1], [10], [12]])
    found = kmeans(x, 2)
    assert found.labels[0] == found.labels[1] != found.labels[2] == found.labels[3]
    assert sorted(found.centers.ravel().tolist()) == pytest.approx([0.5, 11])
    assert found.inertia == pytest.approx(0.5 + 2)


@pytest.mark.parametrize("k", [2, 12, 60])
def test_same_path_as_scikit_learn(clouds: np.ndarray, k: int, limit: str) -> None:
    start = clouds[np.random.default_rng(k).choice(len(clouds), k, replace=False)]
    expected = KMeans(k, init=start, n_init=1).fit(clouds)
    found = run_lloyd(clouds, start, limit)
    np.testing.assert_array_equal(found.labels, expected.labels_)
    np.testing.assert_allclose(found.centers, expected.cluster_centers_, atol=1e-4)
    assert found.iterations == expected.n_iter_
    assert found.inertia == pytest.approx(expected.inertia_, rel=1e-5)


def test_starts_together_are_starts_alone(clouds: np.ndarray, limit: str) -> None:
    """Each start runs its own course, however many share its products and whenever the others end."""
    mean = clouds.mean(axis=0, dtype=np.float64)
    rows = (clouds - mean).astype(np.float32)
    held = held_by(limit, rows)
    starts = spread_seeds(rows, 8, 5, np.random.default_rng(3), held)
    alone = [lloyd(rows, start[None], 1e-4, 300, mean, held) for start in starts]
    best = min(alone, key=lambda clusters: clusters.inertia)
    assert len({one.iterations for one in alone}) > 1
    together = lloyd(rows, starts, 1e-4, 300, mean, held)
    np.testing.assert_array_equal(together.labels, best.labels)
    assert together.inertia == pytest.approx(best.inertia, rel=1e-6)


def test_an_empty_cluster_moves_to_the_farthest_point(limit: str) -> None:
    random = np.random.default_rng(0)
    x = np.concatenate([random.normal(size=(30, 2)), random.normal(size=(30, 2)) + 8]).astype(np.float32)
    start = np.array([[0, 0], [8, 8], [500, 500]], dtype=np.float32)  # nothing is near the last
    expected = KMeans(3, init=start, n_init=1).fit(x)
    found = run_lloyd(x, start, limit)
    assert len(set(found.labels)) == 3
    np.testing.assert_array_equal(found.labels, expected.labels_)


def test_as_good_as_scikit_learn_from_one_start(clouds: np.ndarray) -> None:
    """The mean inertia of single starts: the seeding and the steps are worth the same."""
    ours = np.array([kmeans(clouds, 12, n_init=1, seed=seed).inertia for seed in range(60)])
    theirs = np.array([KMeans(12, n_init=1, random_state=seed).fit(clouds).inertia_ for seed in range(60)])
    error = np.hypot(ours.std(), theirs.std()) / np.sqrt(60)
    assert ours.mean() < theirs.mean() + 3 * error
    assert ours.min() == pytest.approx(theirs.min(), rel=5e-3)


def test_seeding_draws_by_squared_distance(limit: str) -> None:
    """Points at 0, 1 and 3 and the first centre at 0: a draw of the second is 1 or 3 as 1 : 9."""
    x = np.array([[0.0], [1], [3]], dtype=np.float32)
    seeds = spread_seeds(x, 2, 20_000, np.random.default_rng(0), held_by(limit, x))[:, :, 0]
    second = seeds[seeds[:, 0] == 0][:, 1]
    # the better of two draws: 1 leaves (3 - 1)^2 = 4, 3 leaves 1, so 1 is kept only if both draws are 1
    assert np.mean(second == 1) == pytest.approx(0.1**2, abs=0.005)
    assert not np.any(second == 0)


def test_seeds_are_rows_that_differ(clouds: np.ndarray, limit: str) -> None:
    seeds = spread_seeds(clouds, 20, 3, np.random.default_rng(0), held_by(limit, clouds))
    known = {row.tobytes() for row in clouds}
    for start in seeds:
        rows = {row.tobytes() for row in start}
        assert len(rows) == 20
        assert rows <= known


def test_the_seed_decides(clouds: np.ndarray) -> None:
    one, same, other = (kmeans(clouds, 12, n_init=2, seed=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(one.labels, same.labels)
    assert (one.labels != other.labels).any()


def test_a_shift_changes_nothing(clouds: np.ndarray) -> None:
    far = kmeans(clouds.astype(np.float64) + 1e6, 12, seed=1)
    near = kmeans(clouds.astype(np.float64), 12, seed=1)
    np.testing.assert_array_equal(far.labels, near.labels)
    assert far.inertia == pytest.approx(near.inertia, rel=1e-4)


@pytest.mark.parametrize("numbers", [1, 1000])
def test_blocks_change_nothing(clouds: np.ndarray, monkeypatch: pytest.MonkeyPatch, numbers: int) -> None:
    whole = kmeans(clouds[:200], 4, n_init=2)
    monkeypatch.setattr(import_module("attar.scores.solvers.kmeans"), "NUMBERS_AT_ONCE", numbers)
    monkeypatch.setattr(import_module("attar.scores.solvers.assignment"), "PRODUCTS_AT_ONCE", numbers)
    parts = kmeans(clouds[:200], 4, n_init=2)
    np.testing.assert_array_equal(parts.labels, whole.labels)
    assert parts.inertia == pytest.approx(whole.inertia, rel=1e-6)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 12), st.integers(0, 1000), st.integers(1, 4))
def test_every_point_is_with_its_nearest_centre(k: int, seed: int, distinct: int) -> None:
    """Even where there are fewer different points than clusters."""
    x = np.random.default_rng(seed).integers(0, distinct, size=(12, 2)).astype(np.float32)
    found = kmeans(x, k, n_init=2, seed=seed)
    distances = ((x[:, None].astype(float) - found.centers) ** 2).sum(axis=2)
    np.testing.assert_allclose(distances[np.arange(12), found.labels], distances.min(axis=1), atol=1e-5)
    assert found.inertia == pytest.approx(distances.min(axis=1).sum(), abs=1e-4)


def test_as_many_clusters_as_points() -> None:
    assert kmeans(np.array([[0.0], [1], [5]]), 3).inertia == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("k", [0, 4])
def test_more_clusters_than_points(k: int) -> None:
    with pytest.raises(DataError, match=f"{k} clusters of 3 rows"):
        kmeans(np.ones((3, 2)), k)


@pytest.mark.parametrize("largest", [1e20, np.inf, np.nan])
def test_points_too_far_to_be_squared(largest: float) -> None:
    points = np.where(np.arange(12)[:, None] % 3 == np.arange(3), np.float32(largest), np.float32(0))
    with np.errstate(invalid="ignore", over="ignore"), pytest.raises(InputError, match="can't be squared in float32"):
        kmeans(points, 3)


def test_points_as_far_as_can_be() -> None:
    points = np.eye(3, dtype=np.float32)[np.arange(12) % 3] * np.float32(1e18)
    found = kmeans(points, 3).labels
    assert len(set(zip(found.tolist(), (np.arange(12) % 3).tolist(), strict=True))) == 3


def test_no_start() -> None:
    with pytest.raises(InputError, match="n_init=0"):
        kmeans(np.ones((3, 2)), 2, n_init=0)
