from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_evidence import sample_truth, unit, units_of
from sklearn.metrics import normalized_mutual_info_score

from attar.choosing.evidence import Grouped, gather, try_candidate
from attar.choosing.grouping import GroupEvidence, common_groups, gather_groups, group_texts
from attar.choosing.rule import KEPT, judge
from attar.choosing.trials import read_trials

WORDS = ("sun moon star sky orbit", "bread butter milk cheese honey", "goal match team coach score")


def texts_of(n: int) -> list[str]:
    """Texts on three subjects in turn, four words each."""
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(WORDS[i % 3].split(), 4, replace=False)) for i in range(n)]


def grouping_of(n: int, noise: float, seed: int) -> np.ndarray:
    """Groups of vectors that tell the three subjects apart, more or less."""
    rng = np.random.default_rng(seed)
    return group_texts(unit(np.eye(3)[np.arange(n) % 3] + noise * rng.normal(size=(n, 3))))


def evidence(noises: tuple[float, ...], leads: tuple[float, ...], texts: list[str] | None = None) -> GroupEvidence:
    trials = [np.full(len(read_trials()), lead) for lead in leads]
    groups = [grouping_of(90, noise, seed) for seed, noise in enumerate(noises)]
    return gather_groups(texts_of(90) if texts is None else texts, groups, trials)


def test_common_groups_are_normalised_mutual_information() -> None:
    rng = np.random.default_rng(0)
    groups = np.stack([rng.integers(0, k, (5, 60)) for k in (2, 7)], axis=1)  # (R, K, N)
    expected = [[np.mean([normalized_mutual_info_score(a[k], b[k]) for k in range(2)]) for b in groups] for a in groups]
    np.testing.assert_allclose(common_groups(groups), expected, atol=1e-6)


def test_one_group_for_all_texts_is_common_to_itself_alone() -> None:
    flat, split = np.zeros((1, 8), dtype=int), np.arange(8)[None] % 2
    np.testing.assert_allclose(common_groups(np.array([flat, split])), [[1, 0], [0, 1]], atol=1e-9)


def test_few_texts_are_put_into_few_groups() -> None:
    rows = unit(np.random.default_rng(0).normal(size=(20, 4)))
    assert [labels.max() + 1 for labels in group_texts(rows)] == [2, 4]


def test_groups_by_subject_foretell_words_better_than_groups_by_chance() -> None:
    found = evidence((0.1, 0.2, 50.0), (50, 50, 50))
    words = found.signals["words"]
    assert words[0] == pytest.approx(100, abs=8)
    assert words[2] < 30
    assert found.signals["groups"][0] > found.signals["groups"][2]


def test_merit_is_the_mean_of_four_judges() -> None:
    found = evidence((0.1, 50.0), (60, 40))
    signals = found.signals
    np.testing.assert_allclose(found.merit, (signals["words"] + signals["groups"] + 2 * signals["trials"]) / 4)
    np.testing.assert_allclose(signals["trials"], [60, 40])


def test_chances_to_be_better_than_the_first() -> None:
    found = evidence((50.0, 0.1, 60.0), (50, 55, 40))
    assert found.chances_better[0] == 0.5
    assert found.chances_better[1] > 0.99
    assert found.chances_better[2] < 0.1


def test_groups_that_others_find_too_speak_for_a_candidate() -> None:
    common = np.array([[1, 0.2, 0.2], [0.2, 1, 0.9], [0.2, 0.9, 1]])
    alike = GroupEvidence(common, np.full((3, 40), 50.0), np.full((3, len(read_trials())), 70.0), 9.0)
    assert alike.chances_better.tolist() == [0.5, 1, 1]


def test_texts_that_share_hardly_a_word_leave_all_as_it_is() -> None:
    lonely = [f"w{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(90)]
    assert evidence((50.0, 0.1), (50, 70), lonely).chances_better.tolist() == [0, 0]


def test_for_groups_the_judges_decide_and_not_the_probe() -> None:
    truth = sample_truth()
    noises = (2.0, 0.1, 0.2, 1.0, 1.5)
    texts = texts_of(len(truth))
    each = (units_of(truth, noise, "none", i) for i, noise in enumerate(noises))
    found = gather(each, grouped=Grouped(texts, try_candidate))
    assert found.groups is not None
    assert {"words", "groups", "trials"} <= set(found.signals)
    np.testing.assert_array_equal(found.agreement, found.groups.common)
    same = replace(found.groups, trials=0 * found.groups.trials, common=np.eye(5), words_per_text=9.0)
    for good in (1, 3):
        words = np.full((5, 90), 50.0)
        words[good] = 90
        judged = replace(found, groups=replace(same, words=words), agreement=np.eye(5))
        assert judge(judged).chosen == good
        assert judge(judged, tuned=True).chosen == KEPT
