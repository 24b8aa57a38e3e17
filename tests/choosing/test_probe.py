from __future__ import annotations

import numpy as np
from scipy.stats import rankdata, spearmanr

from attar.choosing.probe import read_probe


def test_the_probe_is_whole() -> None:
    probe = read_probe()
    assert len(set(probe.texts)) == len(probe.texts) == 256
    assert probe.pairs.shape == (256, 2)
    assert (probe.pairs[:, 0] != probe.pairs[:, 1]).all()
    assert probe.grades.min() == 0
    assert probe.grades.max() <= 5
    assert all(text == text.strip() and text for text in probe.texts)


def test_grades_fall_within_every_group() -> None:
    probe = read_probe()
    for group in range(64):
        assert np.all(np.diff(probe.grades[probe.groups == group]) <= 0)


def test_the_score_is_that_of_scipy() -> None:
    probe = read_probe()
    cosines = np.random.default_rng(0).normal(size=len(probe.grades))
    np.testing.assert_allclose(probe.score(cosines), 100 * spearmanr(cosines, probe.grades)[0])
    np.testing.assert_allclose(probe.score(probe.grades), 100)


def test_the_chance_of_being_better_is_one_for_the_grades_themselves() -> None:
    probe = read_probe()
    noise = np.random.default_rng(0).normal(size=len(probe.grades))
    assert probe.chances_better(np.stack([noise, probe.grades, noise]), 0).tolist() == [0.5, 1, 0.5]


def test_chances_equal_a_plain_bootstrap_of_ranks() -> None:
    probe = read_probe()
    rng = np.random.default_rng(3)
    cosines = probe.grades + rng.normal(size=(3, len(probe.grades))) * np.array([[2.0], [2.2], [3.0]])
    ranks, aim = rankdata(cosines, axis=1), rankdata(probe.grades)
    draws = np.random.default_rng(0)
    wins = np.zeros(3)
    for _ in range(100):
        groups = draws.integers(0, 64, 64)
        rows = np.concatenate([np.flatnonzero(probe.groups == g) for g in groups])
        found = [np.corrcoef(r[rows], aim[rows])[0, 1] for r in ranks]
        wins += [found[i] > found[0] if i else 0.5 for i in range(3)]
    np.testing.assert_allclose(probe.chances_better(cosines, 0, resamples=100), wins / 100)
