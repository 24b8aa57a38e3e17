from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_evidence import sample_evidence, sample_truth, unit, units_of

from attar.choosing.candidates import Candidate
from attar.choosing.evidence import gather, try_candidate
from attar.choosing.passes import Units
from attar.choosing.rule import KEPT, judge
from attar.choosing.topics import read_topics
from attar.choosing.trials import KINDS, chances_better, kind_means, read_trials, trial_scores
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
        known = topics.genres if KINDS[trial.kind] == "genres" else topics.topics
        assert len(set(zip(known[trial.rows].tolist(), trial.groups.tolist(), strict=True))) == trial.groups.max() + 1
        if KINDS[trial.kind] != "genres":
            assert len(set(topics.genres[trial.rows].tolist())) == 1
        for group in np.unique(trial.groups):  # every group is there with all of its texts
            assert (trial.groups == group).sum() == np.isin(known, known[trial.rows[trial.groups == group]]).sum()


def test_vectors_that_tell_genres_apart_find_genres_and_not_topics() -> None:
    vectors = genre_vectors()
    many, few, genres = kind_means(trial_scores(lambda rows: vectors[rows])[None])[0]
    assert genres == pytest.approx(100, abs=1)
    assert many < 60
    assert few < 80


def test_a_shaper_is_fitted_on_the_texts_of_a_trial_alone() -> None:
    raw = np.asarray(np.random.default_rng(0).normal(size=(len(read_topics().texts), 4)) + 3, dtype=np.float32)
    rows = np.array([3, 5, 8, 13])
    units = Units(Candidate("none", (1,), "mean", "center"), {"topics": raw})
    np.testing.assert_allclose(units.of_some("topics", rows), unit(raw[rows] - raw[rows].mean(axis=0)), atol=1e-6)


def test_taking_the_first_direction_away_loses_two_genres() -> None:
    """Why no such recipe is a candidate where vectors are for groups."""
    raw = {"topics": genre_vectors()}
    kept, cut = (try_candidate(Units(Candidate("none", (1,), "mean", shape), raw)) for shape in ("center", "abtt:1"))
    two = [i for i, trial in enumerate(read_trials()) if trial.kind == 2 and trial.groups.max() == 1]
    assert kept[two].min() > 99
    assert cut[two].mean() < 75


def test_chances_are_those_of_the_kind_that_is_least_sure() -> None:
    kinds = np.array([trial.kind for trial in read_trials()])
    scores = np.zeros((4, len(kinds)))
    scores[1] = 5  # better everywhere
    scores[2] = np.where(kinds == 1, -1, 5)  # worse in one kind
    chances = chances_better(scores, 0)
    np.testing.assert_array_equal(chances, [0.5, 1, 0, 0.5])


def test_for_groups_a_candidate_must_be_better_in_every_kind_of_trial() -> None:
    truth = sample_truth()
    noises = (2.0, 0.1, 0.2, 1.0, 1.5)
    evidence = gather((units_of(truth, noise, "none", i) for i, noise in enumerate(noises)), tried=try_candidate)
    kinds = np.array([trial.kind for trial in read_trials()])
    leads = np.zeros((5, len(kinds)))
    leads[1:3] = 5 + np.arange(len(kinds)) % 3
    better = replace(evidence, trials=leads)
    assert judge(better).chosen in (1, 2)
    leads = leads.copy()
    leads[:, kinds == 2] *= -1
    assert judge(replace(evidence, trials=leads)).chosen == KEPT
    assert judge(sample_evidence()).chosen in (1, 2)  # without groups, the probe decides
