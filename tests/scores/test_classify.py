"""Classification against SentEval's protocol written with scikit-learn, and input that can't be scored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.linear_model import LogisticRegression

from attar import scores, tasks
from attar.errors import DataError, InputError
from attar.scores.folds import stratified_folds
from attar.scores.intervals import student_interval, wilson_interval
from attar.scores.solvers.problem import STRENGTHS
from attar.tasks.types import ClassifyTask

SPLITS = {"train": slice(0, 200), "dev": slice(200, 280), "test": slice(280, 400)}
TRAIN_TEST = {"train": slice(0, 250), "test": slice(250, 400)}


def a_task(labels: np.ndarray, splits: dict[str, slice] | None = None, pairs: bool = False, soft: bool = False):
    n = len(labels)
    return ClassifyTask(
        name="kinds",
        left=("left",) * n,
        right=("right",) * n if pairs else (),
        labels=labels,
        classes=tuple(map(str, np.unique(labels))),
        splits=splits or {},
        soft=soft,
    )


def some_data(n_classes: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(n_classes)
    labels = random.integers(n_classes, size=n)
    x = random.normal(size=(n_classes, 8))[labels] * 0.12 + 0.15 * random.normal(size=(n, 8))
    return x.astype(np.float32), labels


def fitted(x: np.ndarray, y: np.ndarray, c: float) -> LogisticRegression:
    return LogisticRegression(C=c, tol=1e-6, solver="newton-cholesky").fit(x, y)


def best(found: dict[float, float]) -> float:
    return max(found, key=lambda c: (round(found[c], 9), -c))  # the strongest penalty of equals


@pytest.mark.parametrize("n_classes", [2, 4])
def test_train_dev_test_as_in_senteval(n_classes: int) -> None:
    x, y = some_data(n_classes)
    train, dev, test = SPLITS.values()
    on_dev = {c: fitted(x[train], y[train], c).score(x[dev], y[dev]) for c in STRENGTHS}
    c = best(on_dev)
    found = scores.classify(x, a_task(y, SPLITS))
    assert found["c"] == [c]
    assert found["dev_accuracy"] == pytest.approx(on_dev[c])
    expected = fitted(x[train], y[train], c).score(x[test], y[test])
    assert found["accuracy"] == pytest.approx(expected, abs=1.01 / 120)
    assert (found["low"], found["high"]) == pytest.approx(wilson_interval(found["accuracy"], 120))
    assert found["unconverged"] == 0
    assert "pearson" not in found


def test_train_and_test_as_in_senteval() -> None:
    x, y = some_data(3)
    train, test = TRAIN_TEST.values()
    folds = stratified_folds(y[train], 1111, "kinds")
    on_dev = dict.fromkeys(STRENGTHS, 0.0)
    for c in STRENGTHS:
        for f in range(10):
            model = fitted(x[train][folds != f], y[train][folds != f], c)
            on_dev[c] += model.score(x[train][folds == f], y[train][folds == f]) / 10
    found = scores.classify(x, a_task(y, TRAIN_TEST))
    c = found["c"][0]
    assert on_dev[c] == pytest.approx(max(on_dev.values()), abs=1.01 / 250)
    assert found["dev_accuracy"] == pytest.approx(on_dev[c], abs=1.01 / 250)
    expected = fitted(x[train], y[train], c).score(x[test], y[test])
    assert found["accuracy"] == pytest.approx(expected, abs=1.01 / 150)


def test_cross_validation_chooses_inside_the_other_folds() -> None:
    x, y = some_data(2, n=120)
    folds = stratified_folds(y, 1111, "kinds")
    found = scores.classify(x, a_task(y))
    assert len(found["c"]) == 10
    for outer in (0, 4, 9):
        on_dev = dict.fromkeys(STRENGTHS, 0.0)
        for c in STRENGTHS:
            for inner in set(range(10)) - {outer}:
                kept, held_out = (folds != outer) & (folds != inner), folds == inner
                on_dev[c] += fitted(x[kept], y[kept], c).score(x[held_out], y[held_out]) / 9
        assert on_dev[found["c"][outer]] >= max(on_dev.values()) - 1.01 / 108
    models = [fitted(x[folds != f], y[folds != f], found["c"][f]) for f in range(10)]
    measured = [model.score(x[folds == f], y[folds == f]) for f, model in enumerate(models)]
    assert found["accuracy"] == pytest.approx(np.mean(measured), abs=1.01 / 120)
    assert (found["low"], found["high"]) == pytest.approx(student_interval(np.array(measured)), abs=0.02)


def test_the_tested_fold_is_never_learned_from() -> None:
    """Vectors that give each row away, but say nothing about other rows: no better than chance."""
    y = np.arange(60) % 2
    assert scores.classify(np.eye(60), a_task(y))["accuracy"] <= 0.5


def test_pairs_are_seen_through_their_features() -> None:
    """Equal or different, by no side alone."""
    random = np.random.default_rng(0)
    left = random.normal(size=(400, 6))
    y = np.arange(400) % 2
    right = np.where(y[:, None] == 1, left, random.normal(size=(400, 6)))
    found = scores.classify(np.vstack([left, right]), a_task(y, SPLITS, pairs=True))
    assert found["accuracy"] > 0.95


def soft_data() -> tuple[np.ndarray, ClassifyTask]:
    random = np.random.default_rng(2)
    left = random.normal(size=(400, 6))
    gold = random.uniform(1, 5, size=400)
    right = left + (5 - gold[:, None]) * random.normal(size=(400, 6)) * 0.5
    return np.vstack([left, right]), a_task(gold, SPLITS, pairs=True, soft=True)


def test_soft_classes_predict_scores() -> None:
    vectors, task = soft_data()
    found = scores.classify(vectors, task)
    assert found["accuracy"] == found["pearson"] > 0.6
    assert found["low"] < found["pearson"] < found["high"]
    # weighted copies of each row, one a class, through scikit-learn
    u, v = vectors[:400], vectors[400:]
    x = np.hstack([np.abs(u - v), u * v])
    x = (x - x[:200].mean(axis=0)) / x[:200].std(axis=0)
    weights = np.maximum(0, 1 - np.abs(task.labels[:200, None] - np.arange(1, 6)))
    model = LogisticRegression(C=found["c"][0], tol=1e-6, solver="newton-cholesky")
    model.fit(np.repeat(x[:200], 5, axis=0), np.tile(np.arange(1, 6), 200), sample_weight=weights.ravel())
    expected = model.predict_proba(x[280:]) @ np.arange(1, 6)
    assert found["pearson"] == pytest.approx(pearsonr(expected, task.labels[280:]).statistic, abs=1e-3)
    assert found["spearman"] == pytest.approx(spearmanr(expected, task.labels[280:]).statistic, abs=2e-3)


def test_soft_features_of_any_scale() -> None:
    vectors, task = soft_data()
    assert scores.classify(vectors * 0.01, task)["accuracy"] == pytest.approx(
        scores.classify(vectors, task)["accuracy"], abs=1e-3
    )


@pytest.mark.parametrize("splits", [TRAIN_TEST, {}])
def test_soft_classes_without_dev(splits: dict[str, slice]) -> None:
    vectors, task = soft_data()
    found = scores.classify(vectors, a_task(task.labels, splits, pairs=True, soft=True))
    assert found["accuracy"] == found["pearson"] > 0.6


def test_the_seed_deals_the_folds() -> None:
    x, y = some_data(2)
    one, same, other = (scores.classify(x, a_task(y), seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_a_class_that_only_the_test_shows_is_missed() -> None:
    x, y = some_data(2)
    y[390:] = 2
    found = scores.classify(x, a_task(y, SPLITS))
    assert found["accuracy"] <= 110 / 120


def test_wrong_numbers() -> None:
    x, y = some_data(2)
    with pytest.raises(InputError, match="399 vectors for the 400 texts of kinds"):
        scores.classify(x[:399], a_task(y))
    with pytest.raises(InputError, match="400 vectors for the 800 texts of kinds"):
        scores.classify(x, a_task(y, pairs=True))
    with pytest.raises(DataError, match="kinds has no rows"):
        scores.classify(x, a_task(y[:0]))


def test_one_class_alone() -> None:
    x, y = some_data(2)
    with pytest.raises(DataError, match="training rows of one label alone"):
        scores.classify(x, a_task(np.zeros_like(y)))
    y[:200] = 1
    with pytest.raises(DataError, match="training rows of one label alone"):
        scores.classify(x, a_task(y, SPLITS))


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ({"train": slice(0, 300), "dev": slice(300, 400)}, "has the splits train, dev but no test"),
        ({"test": slice(0, 300)}, "but no train"),
        ({"train": slice(0, 399), "test": slice(399, 400)}, "the split test of kinds has 1 rows"),
    ],
)
def test_splits_that_can_not_be_scored(splits: dict[str, slice], message: str) -> None:
    x, y = some_data(2)
    with pytest.raises(DataError, match=message):
        scores.classify(x, a_task(y, splits))


def test_a_soft_score_that_is_not_a_number() -> None:
    vectors, task = soft_data()
    task.labels[3] = np.nan
    with pytest.raises(DataError, match="the score nan in row 3"):
        scores.classify(vectors, task)


def test_random_vectors_of_words_tell_questions_apart(data_dir: Path) -> None:
    """TREC with a random vector a word, against the majority class (138 of 500)."""
    task = tasks.load("TREC", data_dir)
    words = {word: i for i, word in enumerate(sorted({w for text in task.texts for w in text.lower().split()}))}
    table = np.random.default_rng(0).normal(size=(len(words), 64)) * 0.1
    vectors = np.array([table[[words[word] for word in text.lower().split()]].mean(axis=0) for text in task.texts])
    found = scores.classify(vectors, task)
    assert found["accuracy"] > 0.45
