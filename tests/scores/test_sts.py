"""STS against scipy and mteb, a task worked out by hand, and input that can't be scored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics.pairwise import paired_cosine_distances

from attar import scores, tasks
from attar.errors import DataError, InputError
from attar.scores.sts import cosines
from attar.tasks.types import StsTask


def a_task(gold: list[float], subsets: tuple[str, ...] = ()) -> StsTask:
    n = len(gold)
    return StsTask("pairs", ("left",) * n, ("right",) * n, np.array(gold), subsets)


@pytest.fixture
def noisy() -> tuple[np.ndarray, StsTask]:
    random = np.random.default_rng(0)
    left = random.normal(size=(200, 8))
    gold = random.integers(0, 6, size=200)
    right = left * gold[:, None] + 3 * random.normal(size=(200, 8))
    subsets = tuple(random.choice(["a", "b"], size=200))
    return np.vstack([left, right]).astype(np.float32), a_task(gold.tolist(), subsets)


def test_by_hand() -> None:
    # cosines 1, 0 and 0.6 order the pairs as 3, 1, 2; the scores order them as 3, 2, 1: 1 - 6 * 2 / 24 = 0.5
    left = [[2, 0], [1, 0], [5, 0]]
    right = [[3, 0], [0, 4], [3, 4]]
    found = scores.sts(np.array(left + right, dtype=np.float32), a_task([5, 2, 1]))
    assert found["spearman"] == pytest.approx(0.5)
    assert found["pearson"] == pytest.approx(pearsonr([1, 0, 0.6], [5, 2, 1]).statistic)
    assert found["subsets"] == {}


def test_equal_to_scipy(noisy: tuple[np.ndarray, StsTask]) -> None:
    vectors, task = noisy
    similarities = 1 - paired_cosine_distances(vectors[:200].astype(float), vectors[200:].astype(float))
    found = scores.sts(vectors, task)
    assert found["spearman"] == pytest.approx(spearmanr(similarities, task.scores).statistic, abs=1e-9)
    assert found["pearson"] == pytest.approx(pearsonr(similarities, task.scores).statistic, abs=1e-9)
    for name in ("a", "b"):
        own = np.array(task.subsets) == name
        expected = spearmanr(similarities[own], task.scores[own]).statistic
        assert found["subsets"][name] == pytest.approx(expected, abs=1e-9)
    assert found["low"] < found["spearman"] < found["high"]


def test_equal_to_mteb(noisy: tuple[np.ndarray, StsTask]) -> None:
    sts_of_mteb = pytest.importorskip("mteb.abstasks.sts")
    vectors, task = noisy
    similarities = (1 - paired_cosine_distances(vectors[:200], vectors[200:])).tolist()
    evaluated = {
        "cosine_scores": similarities,
        "manhattan_distances": similarities,
        "euclidean_distances": similarities,
        "similarity_scores": None,
    }
    expected = sts_of_mteb.AbsTaskSTS._calculate_scores(None, evaluated, task.scores.tolist())
    found = scores.sts(vectors, task)
    assert found["spearman"] == pytest.approx(expected["cosine_spearman"], abs=1e-6)
    assert found["pearson"] == pytest.approx(expected["cosine_pearson"], abs=1e-6)


def test_the_interval_shrinks_as_pairs_grow(noisy: tuple[np.ndarray, StsTask]) -> None:
    vectors, task = noisy
    many = scores.sts(vectors, task)
    keep = np.r_[:50, 200:250]
    few = scores.sts(vectors[keep], a_task(task.scores[:50].tolist()))
    assert many["high"] - many["low"] < few["high"] - few["low"]


def test_the_interval_is_that_of_scipys_bootstrap(noisy: tuple[np.ndarray, StsTask]) -> None:
    vectors, task = noisy
    similarities = cosines(vectors[:200], vectors[200:])
    random = np.random.default_rng(1)
    drawn = random.integers(200, size=(400, 200))
    resampled = [spearmanr(similarities[d], task.scores[d]).statistic for d in drawn]
    found = scores.sts(vectors, task, resamples=2000)
    assert (found["low"], found["high"]) == pytest.approx(tuple(np.quantile(resampled, [0.025, 0.975])), abs=0.02)


def test_the_seed_decides_the_interval_alone(noisy: tuple[np.ndarray, StsTask]) -> None:
    one, same, other = (scores.sts(*noisy, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one["spearman"] == other["spearman"]
    assert one["low"] != other["low"]


def test_a_zero_vector_has_the_cosine_zero() -> None:
    assert cosines(np.zeros((1, 3)), np.ones((1, 3))).tolist() == [0]


def test_length_does_not_matter(noisy: tuple[np.ndarray, StsTask]) -> None:
    vectors, task = noisy
    lengths = np.random.default_rng(5).uniform(1e-3, 1e3, size=(400, 1))
    assert scores.sts(vectors * lengths, task)["spearman"] == pytest.approx(scores.sts(vectors, task)["spearman"])


def test_equal_texts_are_equally_alike() -> None:
    vectors = np.random.default_rng(0).normal(size=(50, 300)).astype(np.float32)
    assert set(cosines(vectors, vectors)) == {1.0}


def test_similarities_that_are_all_equal_score_zero() -> None:
    found = scores.sts(np.ones((6, 4)), a_task([1, 2, 3]))
    assert (found["spearman"], found["pearson"], found["low"], found["high"]) == (0, 0, 0, 0)


def test_numbers_that_do_not_fit() -> None:
    with pytest.raises(InputError, match=r"5 vectors for the 6 texts of pairs"):
        scores.sts(np.ones((5, 4)), a_task([1, 2, 3]))
    with pytest.raises(DataError, match=r"pairs has 2 scores for 3 rows"):
        scores.sts(np.ones((6, 4)), StsTask("pairs", ("a",) * 3, ("b",) * 3, np.array([1.0, 2])))
    with pytest.raises(DataError, match=r"2 right sides for 3 rows"):
        scores.sts(np.ones((5, 4)), StsTask("pairs", ("a",) * 3, ("b",) * 2, np.array([1.0, 2, 3])))
    with pytest.raises(DataError, match=r"1 subset names for 3 rows"):
        scores.sts(np.eye(6), a_task([1, 2, 3], ("a",)))


@pytest.mark.parametrize("gold", [[], [1.0]])
def test_too_few_pairs(gold: list[float]) -> None:
    with pytest.raises(DataError, match=f"{len(gold)} pairs; a correlation needs at least 2"):
        scores.sts(np.ones((max(1, 2 * len(gold)), 4)), a_task(gold))


def test_a_score_that_is_not_a_number() -> None:
    with pytest.raises(DataError, match=r"the score nan in row 1"):
        scores.sts(np.eye(6), a_task([1, float("nan"), 3]))


def test_random_vectors_of_words_come_near_the_published_score(data_dir: Path) -> None:
    """Random vectors of word pieces were published at 0.621; words split at spaces come near."""
    task = tasks.load("STS15", data_dir)
    words = {word: i for i, word in enumerate(sorted({w for text in task.texts for w in text.lower().split()}))}
    table = np.random.default_rng(0).normal(size=(len(words), 300))
    rows = [[words[word] for word in text.lower().split()] or [0] for text in task.texts]
    found = scores.sts(np.array([table[row].mean(axis=0) for row in rows]), task)
    assert found["spearman"] == pytest.approx(0.621, abs=0.05)
    assert len(found["subsets"]) == 5


def test_a_subset_of_one_pair_has_no_correlation() -> None:
    """SICK names every pair: thousands of subsets of one pair each would rank nothing, and take most of the time."""
    vectors = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
    assert scores.sts(vectors, a_task([1, 2, 3, 4], ("1", "2", "3", "4")))["subsets"] == {}
    assert list(scores.sts(vectors, a_task([1, 2, 3, 4], ("a", "b", "a", "c")))["subsets"]) == ["a"]
