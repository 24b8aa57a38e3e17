from __future__ import annotations

import numpy as np
import pytest
from sample_evidence import unit

from attar.choosing.candidates import Candidate
from attar.choosing.passes import Units
from attar.choosing.topics import read_topics
from attar.choosing.trials import KINDS, kind_means, read_trials, trial_scores
from attar.types import Floats


def genre_vectors(noise: float = 0.1) -> Floats:
    """Vectors that tell genres apart and nothing else."""
    rng = np.random.default_rng(0)
    genres = read_topics().genres
    return unit(rng.normal(size=(int(genres.max()) + 1, 16))[genres] + noise * rng.normal(size=(len(genres), 16)))


def test_trials_hold_texts_of_known_groups_of_every_kind() -> None:
    topics = read_topics()
    assert {trial.kind for trial in read_trials()} == set(range(len(KINDS)))
    for trial in read_trials():
        known = topics.topics
        assert len(set(zip(known[trial.rows].tolist(), trial.groups.tolist(), strict=True))) == trial.groups.max() + 1
        assert len(set(topics.genres[trial.rows].tolist())) == 1
        for group in np.unique(trial.groups):  # every group is there with all of its texts
            assert (trial.groups == group).sum() == np.isin(known, known[trial.rows[trial.groups == group]]).sum()


def test_vectors_that_tell_topics_apart_find_them_and_vectors_of_genres_do_not() -> None:
    rng, topics = np.random.default_rng(0), read_topics().topics
    by_topic = unit(rng.normal(size=(int(topics.max()) + 1, 64))[topics] + 0.1 * rng.normal(size=(len(topics), 64)))
    many, few = kind_means(trial_scores(lambda rows: by_topic[rows])[None])[0]
    assert many > 90
    assert few == pytest.approx(100, abs=1)
    vectors = genre_vectors()
    many, few = kind_means(trial_scores(lambda rows: vectors[rows])[None])[0]
    assert many < 60
    assert few < 80


def test_a_shaper_is_fitted_on_the_texts_of_a_trial_alone() -> None:
    raw = np.asarray(np.random.default_rng(0).normal(size=(len(read_topics().texts), 4)) + 3, dtype=np.float32)
    rows = np.array([3, 5, 8, 13])
    units = Units(Candidate("none", (1,), "mean", "center"), {"topics": raw})
    np.testing.assert_allclose(units.of_some("topics", rows), unit(raw[rows] - raw[rows].mean(axis=0)), atol=1e-6)
