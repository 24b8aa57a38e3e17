from __future__ import annotations

import numpy as np

from attar.choosing.probe import read_probe
from attar.choosing.topics import Topics, read_topics


def test_the_topics_are_whole() -> None:
    topics = read_topics()
    assert len(set(topics.texts)) == len(topics.texts) == 329
    assert set(np.bincount(topics.topics)) == {7}
    assert all(len(set(topics.genres[topics.topics == t])) == 1 for t in range(topics.topics.max() + 1))
    assert all(text == text.strip() and text for text in topics.texts)
    assert not set(topics.texts) & set(read_probe().texts)


def test_scores_worked_out_by_hand() -> None:
    units = np.array([[1, 0], [0.6, 0.8], [0.8, 0.6], [0, 1]], dtype=np.float32)
    one = Topics(tuple("abcd"), np.zeros(4, dtype=int), np.array([0, 0, 1, 1]))
    # a: b (0.6) against c (0.8) and d (0); b: a (0.6) against c (0.96) and d (0.8); c: d (0.6) against 0.8 and 0.96
    assert one.scores(units).tolist() == [0.5, 0, 0, 0.5]
    two = Topics(tuple("abcdefgh"), np.repeat([0, 1], 4), np.array([0, 0, 1, 1, 2, 2, 3, 3]))
    assert two.scores(np.concatenate([units, units])).tolist() == [0.5, 0, 0, 0.5] * 2  # other genres do not count
    assert one.scores(np.repeat(units[:1], 4, axis=0)).tolist() == [0.5] * 4  # ties


def test_vectors_of_the_topics_themselves_score_best() -> None:
    topics = read_topics()
    assert (topics.scores(np.eye(topics.topics.max() + 1, dtype=np.float32)[topics.topics]) == 1).all()


def test_chances_equal_a_plain_bootstrap() -> None:
    topics = read_topics()
    n = int(topics.topics.max()) + 1
    rng = np.random.default_rng(5)
    scores = np.stack([rng.random(len(topics.texts)) + lift for lift in (0.0, 0.02, -0.02)])
    draws = np.random.default_rng(0)
    wins = np.zeros(3)
    for _ in range(100):
        rows = np.concatenate([np.flatnonzero(topics.topics == t) for t in draws.integers(0, n, n)])
        means = scores[:, rows].mean(axis=1)
        wins += [0.5, *(means[1:] > means[0])]
    np.testing.assert_allclose(topics.chances_better(scores, 0, 100), wins / 100)
