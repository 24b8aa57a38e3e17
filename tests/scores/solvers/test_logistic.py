"""Logistic regression against scikit-learn's at a tight tolerance, alone and in batches."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from attar.errors import InputError
from attar.scores.features import class_targets
from attar.scores.solvers.logistic import LinearModels, fit_logistic


def some_data(n: int, dims: int, n_classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    labels = random.permutation(np.arange(n) % n_classes)
    centers = random.normal(size=(n_classes, dims))
    x = centers[labels] + 1.5 * random.normal(size=(n, dims)) + random.normal(size=dims) * 5
    return (x * random.uniform(0.1, 3, size=dims)).astype(np.float32), labels


def fit(
    x: np.ndarray, labels: np.ndarray, used: np.ndarray, strengths: list[float], tol: float = 1e-10
) -> LinearModels:
    return fit_logistic(x, class_targets(labels, int(labels.max()) + 1), used, np.array(strengths), tol)


def reference(x: np.ndarray, labels: np.ndarray, c: float) -> LogisticRegression:
    return LogisticRegression(C=c, tol=1e-8, solver="newton-cholesky").fit(x.astype(np.float64), labels)


def test_by_hand() -> None:
    """x = -1, 1 with labels 0, 1: w solves w = C * 2 / (1 + exp(w)), and the intercept is 0; for C = 1, w = 0.6749."""
    x = np.array([[-1.0], [1.0]], dtype=np.float32)
    models = fit(x, np.array([0, 1]), np.ones((1, 2), dtype=bool), [1.0])
    w = float(models.weights[0, 0, 0])
    assert w == pytest.approx(2 / (1 + np.exp(w)), abs=1e-5)
    assert w == pytest.approx(0.67488, abs=1e-4)
    assert models.intercepts[0, 0] == pytest.approx(0, abs=1e-6)


def test_a_penalty_beyond_all_leaves_the_share_of_classes() -> None:
    x, labels = some_data(100, 4, 2)
    labels[:40] = 1
    models = fit(x, labels, np.ones((1, 100), dtype=bool), [1e-9])
    share = labels.mean()
    assert models.intercepts[0, 0] == pytest.approx(np.log(share / (1 - share)), abs=1e-3)
    np.testing.assert_allclose(models.weights, 0, atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_equal_to_scikit_learn(n_classes: int) -> None:
    """Folds and strengths in one batch, each as if it had been alone."""
    x, labels = some_data(300, 12, n_classes)
    used = np.arange(300) % 3 != np.arange(3)[:, None]
    strengths = [1.0, 0.01, 30.0]
    models = fit(x, labels, used, strengths)
    assert models.converged.all()
    for problem in range(9):
        c, kept = strengths[problem // 3], used[problem % 3]
        expected = reference(x[kept], labels[kept], c)
        for ours, theirs in (
            (models.weights, expected.coef_),
            (models.intercepts, expected.intercept_),
        ):
            np.testing.assert_allclose(ours[problem], theirs, atol=3e-3 * np.abs(theirs).max())
        predicted = models.take([problem]).logits(x)[0]
        chosen = predicted[0] > 0 if n_classes == 2 else predicted.argmax(axis=0)
        assert np.mean(chosen != expected.predict(x)) <= 1 / 300


def test_default_tolerance_predicts_as_the_optimum() -> None:
    x, labels = some_data(2000, 40, 2, seed=4)
    used = np.ones((1, 2000), dtype=bool)
    models = fit_logistic(x, class_targets(labels, 2), used, np.array([1.0]))
    predicted = models.logits(x)[0, 0] > 0
    assert np.sum(predicted != reference(x, labels, 1.0).predict(x)) <= 1


@settings(max_examples=10, deadline=None)
@given(st.floats(-5, 5), st.integers(2, 4), st.integers(0, 1000))
def test_any_scale_of_features(power: float, n_classes: int, seed: int) -> None:
    """Features k times as long with C / k^2 are the same problem."""
    x, labels = some_data(80, 6, n_classes, seed)
    scale = 10.0**power
    used = np.ones((1, 80), dtype=bool)
    plain = fit(x, labels, used, [1.0]).logits(x)
    scaled = (x * scale).astype(np.float32)
    np.testing.assert_allclose(fit(scaled, labels, used, [1 / scale**2]).logits(scaled), plain, atol=5e-3)


def test_the_gradient_is_zero_for_soft_targets() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 5)).astype(np.float32)
    targets = random.dirichlet(np.ones(4), size=60).T.astype(np.float32)
    models = fit_logistic(x, targets, np.ones((1, 60), dtype=bool), np.array([2.0]), tol=1e-11)
    logits = models.logits(x)[0].astype(np.float64)
    likely = np.exp(logits) / np.exp(logits).sum(axis=0)
    gradient = 2.0 * (likely - targets) @ x + models.weights[0]
    np.testing.assert_allclose(gradient, 0, atol=2e-3)
    np.testing.assert_allclose((likely - targets).sum(axis=1), 0, atol=1e-3)


def test_soft_targets_are_weighted_copies() -> None:
    """A row that is half of one class and half of another counts as two half rows."""
    random = np.random.default_rng(1)
    x = random.normal(size=(50, 3)).astype(np.float32)
    targets = random.dirichlet(np.ones(3), size=50)
    soft = fit_logistic(x, targets.T.astype(np.float32), np.ones((1, 50), dtype=bool), np.array([1.0]), tol=1e-11)
    copies = LogisticRegression(C=1.0, tol=1e-8, solver="newton-cholesky")
    copies.fit(np.repeat(x, 3, axis=0), np.tile(np.arange(3), 50), sample_weight=targets.ravel())
    np.testing.assert_allclose(soft.weights[0], copies.coef_, atol=1e-3)


def test_parts_of_a_batch_are_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    x, labels = some_data(120, 6, 3)
    used = np.random.default_rng(0).random((7, 120)) < 0.8
    whole = fit(x, labels, used, [0.1, 4.0])
    monkeypatch.setattr(import_module("attar.scores.solvers.logistic"), "LOGITS_AT_ONCE", 2 * 3 * 120)
    parts = fit(x, labels, used, [0.1, 4.0])
    np.testing.assert_allclose(parts.weights, whole.weights, atol=3e-3)


def test_classes_that_can_be_split_perfectly() -> None:
    x = np.array([[-3.0], [-2], [2], [3]], dtype=np.float32)
    labels = np.array([0, 0, 1, 1])
    models = fit(x, labels, np.ones((1, 4), dtype=bool), [1.0, 1e6], tol=1e-7)
    expected = reference(x, labels, 1.0)
    assert models.weights[0, 0, 0] == pytest.approx(expected.coef_[0, 0], rel=1e-2)
    assert ((models.logits(x)[:, 0] > 0) == labels).all()


def test_features_that_say_nothing_or_the_same_twice() -> None:
    x, labels = some_data(90, 3, 2)
    odd = np.hstack([x, x[:, :1], np.zeros((90, 1)), np.full((90, 1), 7)]).astype(np.float32)
    expected = reference(odd, labels, 1.0)
    models = fit(odd, labels, np.ones((1, 90), dtype=bool), [1.0])
    np.testing.assert_allclose(models.weights[0], expected.coef_, atol=2e-3)
    assert models.weights[0, 0, 0] == pytest.approx(models.weights[0, 0, 3], abs=1e-4)
    assert models.weights[0, 0, 4] == 0


def test_more_dims_than_rows() -> None:
    x, labels = some_data(20, 50, 3)
    expected = reference(x, labels, 0.1)
    models = fit(x, labels, np.ones((1, 20), dtype=bool), [0.1])
    np.testing.assert_allclose(models.weights[0], expected.coef_, atol=2e-3)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_features_without_a_factor(scale: float) -> None:
    """Far fewer rows than dims, and a penalty lost in rounding: the curvature alone is singular."""
    random = np.random.default_rng(0)
    x = (scale * random.normal(size=(30, 4)) @ random.normal(size=(4, 200))).astype(np.float32)
    labels = np.arange(30) % 3
    models = fit(x, labels, np.ones((1, 30), dtype=bool), [1.0], tol=1e-7)
    assert np.isfinite(models.weights).all()
    expected = reference(x, labels, 1.0).predict(x)
    assert np.mean(models.logits(x)[0].argmax(axis=0) == expected) >= 28 / 30


def test_features_too_large_to_square() -> None:
    x, labels = some_data(20, 3, 2)
    with pytest.raises(InputError, match=r"as large as .*e\+\d\d can't be squared in float32"):
        fit(x * np.float32(1e25), labels, np.ones((1, 20), dtype=bool), [1.0])


@pytest.mark.parametrize("n_classes", [2, 4])
def test_hard_problems_get_a_curvature_of_their_own(n_classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many folds that can almost be split: later strengths rest on where earlier ones ended, and end at the optimum."""
    module = import_module("attar.scores.solvers.logistic")
    refreshed = []
    original = module.weighted_grams
    monkeypatch.setattr(module, "weighted_grams", lambda *given: refreshed.append(1) or original(*given))
    x, labels = some_data(150, 10, n_classes)
    used = np.random.default_rng(0).random((20, 150)) < 0.9
    models = fit(3 * x, labels, used, [1.0, 10.0, 100.0], tol=1e-9)
    assert refreshed
    for problem in (20, 59):
        kept, c = used[problem % 20], [1.0, 10.0, 100.0][problem // 20]
        expected = reference(3 * x[kept], labels[kept], c)
        ours, theirs = models.weights[problem], expected.coef_
        np.testing.assert_allclose(ours, theirs, atol=1e-2 * np.abs(theirs).max())


def test_running_out_of_iterations_is_told() -> None:
    x, labels = some_data(200, 8, 3)
    models = fit_logistic(
        x, class_targets(labels, 3), np.ones((1, 200), dtype=bool), np.array([1e-6, 100.0]), tol=1e-10, max_iter=3
    )
    assert models.converged.tolist() == [True, False]
    assert models.iterations[1] == 3


def test_strengths_side_by_side_start_where_the_last_two_point_to() -> None:
    """Fewer iterations than the same strengths alone, and nothing that all logits have in common."""
    x, labels = some_data(150, 10, 4)
    used, strengths = np.ones((1, 150), dtype=bool), [1.0, 2.0, 4.0, 8.0]
    together = fit(3 * x, labels, used, strengths, tol=1e-9)
    alone = [fit(3 * x, labels, used, [c], tol=1e-9) for c in strengths]
    assert together.iterations.sum() < sum(int(one.iterations[0]) for one in alone)
    np.testing.assert_allclose(together.weights.sum(axis=1), 0, atol=1e-5)
    for found, one in zip(together.weights, alone, strict=True):
        np.testing.assert_allclose(found, one.weights[0], atol=1e-2 * np.abs(found).max())
