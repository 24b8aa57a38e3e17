from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_evidence import N, sample_evidence, sample_truth, units_of

from attar.choosing.candidates import Candidate
from attar.choosing.evidence import corpora, gather
from attar.choosing.passes import Units
from attar.choosing.rule import KEPT, judge, log_prior, weigh
from attar.errors import InputError
from attar.types import Floats


def equal_vectors(texts: Floats) -> dict[str, Floats]:
    """These of the texts, and one and the same for all of the probe and the topics."""
    given = {name: len(found) for name, found in corpora([]).items() if name != "texts"}
    return {"texts": texts} | {name: np.repeat(texts[:1], n, axis=0) for name, n in given.items()}


def test_a_clearly_better_candidate_is_chosen() -> None:
    verdict = judge(sample_evidence())
    assert verdict.chosen in (1, 2)
    assert verdict.chance >= 0.95
    assert not verdict.kept


def test_plain_is_kept_where_it_is_as_good_as_any() -> None:
    assert judge(sample_evidence((0.1, 0.12, 1.0, 1.5, 2.0))).chosen == KEPT


def test_plain_of_a_tuned_model_is_kept_without_answers_whatever_the_probe_says() -> None:
    assert judge(sample_evidence(), tuned=True).chosen == KEPT


def test_answers_can_move_a_tuned_model_and_can_bring_plain_back() -> None:
    evidence = sample_evidence()
    good = judge(evidence).chosen
    for_it, for_plain = np.zeros(5), np.zeros(5)
    for_it[good], for_plain[KEPT] = 6, 12
    assert judge(evidence, for_it, tuned=True).chosen == good
    assert judge(evidence, for_plain).chosen == KEPT


def test_a_lead_that_is_not_clear_leaves_plain() -> None:
    evidence = sample_evidence()
    ahead = replace(evidence, probe_cosines=np.repeat(evidence.probe_cosines[:1], 5, axis=0))
    assert judge(ahead).chosen == KEPT
    assert (ahead.better_on_probe == 0).all()


def test_topics_that_speak_against_a_candidate_leave_plain() -> None:
    evidence = sample_evidence()
    against = evidence.topic_scores.copy()
    against[1:] = against[KEPT] - 0.2
    assert judge(replace(evidence, topic_scores=against)).chosen == KEPT


def test_near_copies_share_their_belief() -> None:
    evidence = sample_evidence()
    alone = weigh(log_prior(evidence))
    rows = [0, 1, 1, 1, 2, 3, 4]  # candidate 1 three times over
    copied = replace(
        evidence,
        candidates=tuple(evidence.candidates[r] for r in rows),
        signals={name: values[rows] for name, values in evidence.signals.items()},
        agreement=evidence.agreement[np.ix_(rows, rows)],
    )
    shared = weigh(log_prior(copied))
    assert shared[1] == shared[2] == shared[3]
    assert shared[1:4].sum() < 3 * alone[1]


def test_candidates_whose_vectors_are_all_the_same_are_never_believed() -> None:
    truth = sample_truth()
    flat = np.ones_like(truth) / np.sqrt(truth.shape[1])
    constant = Units(Candidate("T4", (0,), "mask", "none"), equal_vectors(flat))
    evidence = gather([units_of(truth, 2.0, "none", 0), constant, units_of(truth, 0.1, "none", 1)])
    verdict = judge(evidence)
    assert verdict.belief[1] == 0
    assert verdict.chosen == 2


def test_too_few_texts_are_refused() -> None:
    few = units_of(sample_truth()[:10], 0.1, "none", 0)
    with pytest.raises(InputError, match="too few to choose by: 10 distinct texts; give 20 or more"):
        gather([few])


def test_equal_vectors_everywhere_are_refused() -> None:
    flat = np.full((N, 4), 0.5, dtype=np.float32)
    with pytest.raises(InputError, match="the same vector"):
        gather([Units(Candidate("none", (1,), "mean", "none"), equal_vectors(flat))])
