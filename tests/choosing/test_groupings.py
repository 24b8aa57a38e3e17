from __future__ import annotations

from dataclasses import replace

import numpy as np
from sample_evidence import sample_evidence, sample_truth, unit
from sklearn.metrics import adjusted_rand_score

from attar.choosing.groupings import NUMBERS, groupings, shared_groups
from attar.choosing.rule import PLAIN, judge


def test_groups_of_texts_that_lie_apart() -> None:
    found = groupings(unit(sample_truth()))  # 12 tight groups of 5
    assert found.shape == (len(NUMBERS), 60)
    assert adjusted_rand_score(np.repeat(np.arange(12), 5), found[NUMBERS.index(12)]) > 0.9
    assert groupings(unit(sample_truth()[:4])).shape == (2, 4)  # no more groups than texts


def test_sharing_is_the_mean_of_scikit_learns_index() -> None:
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 4, (5, 2, 40))
    groups[3, 1] = 0  # one group of all
    groups[4, 1] = 0
    weights = np.array([0.4, 0.1, 0.2, 0.2, 0.1])
    expected = [
        [sum(w * adjusted_rand_score(a[g], b[g]) for w, b in zip(weights, groups, strict=True)) for g in range(2)]
        for a in groups
    ]
    np.testing.assert_allclose(shared_groups(groups, weights), expected, atol=1e-6)


def test_sharing_by_hand() -> None:
    groups = np.array([[[0, 0, 1, 1]], [[1, 1, 0, 0]], [[0, 1, 0, 1]]])  # the first two say the same; the third -0.5
    np.testing.assert_allclose(shared_groups(groups, np.full(3, 1 / 3))[:, 0], [0.5, 0.5, 0.0], atol=1e-6)


def test_a_candidate_that_misses_groups_which_the_others_see_leaves_plain() -> None:
    evidence = sample_evidence()
    chosen = judge(evidence).chosen
    seen = np.repeat(np.arange(2), 30)
    groups = np.tile(seen, (5, 1, 1))
    assert judge(replace(evidence, groups=groups)).chosen == chosen  # it sees them too
    groups[[1, 2], 0] = np.tile([0, 1], 30)
    verdict = judge(replace(evidence, groups=groups))
    assert (verdict.chosen, verdict.favourite, verdict.contradicted) == (PLAIN, chosen, True)
    both = np.concatenate([groups, np.tile(seen, (5, 1, 1))], axis=1)
    assert judge(replace(evidence, groups=both)).chosen == chosen  # for another number of groups it sees what all see


def test_answers_outweigh_missed_groups() -> None:
    evidence = sample_evidence()
    groups = np.tile(np.repeat(np.arange(2), 30), (5, 1, 1))
    groups[[1, 2], 0] = np.tile([0, 1], 30)
    chosen = judge(evidence).chosen
    said = np.zeros(5)
    said[chosen] = 5
    assert judge(replace(evidence, groups=groups), said).chosen == chosen
