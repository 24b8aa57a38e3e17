"""Near duplicates, what to keep, and the threshold that is advised."""

from __future__ import annotations

import numpy as np
import pytest

from attar.errors import InputError
from attar.jobs.duplicates import find_duplicates, find_leaks
from attar.jobs.threshold import LOWEST, USUAL, advise


def circle(*degrees: float) -> np.ndarray:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_by_hand() -> None:
    # 0 and 10 degrees are near, 10 and 20 too, 0 and 20 are not: 10 goes, 20 stays, for only 10 is near to it
    texts = ["a", "b", "c", "d", "a"]
    found = find_duplicates(texts, circle(0, 10, 20, 90, 0), threshold=float(np.cos(np.radians(12))))
    pairs = list(zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True))
    assert sorted(pairs) == [(0, 1), (0, 4), (1, 2)]
    assert found.kept.tolist() == [True, False, True, True, False]
    assert found.like.tolist() == [0, 0, 2, 3, 0]
    assert found.groups(within=True).tolist() == [0, 0, 0]
    assert found.pairs.cosines[0] == 1


def test_a_copy_goes_where_its_first_goes() -> None:
    found = find_duplicates(["a", "b", "b"], circle(0, 5, 5), threshold=0.9)
    assert found.kept.tolist() == [True, False, False]
    assert found.like.tolist() == [0, 0, 0]


def test_between_two() -> None:
    found = find_leaks(["a", "b"], circle(0, 90), ["c", "d", "e"], circle(8, 2, 45), threshold=0.95)
    assert found.kept.tolist() == [False, True]
    assert found.like.tolist() == [1, 1]  # the nearest of the others; a kept text stands for itself
    assert found.pairs.right.tolist() == [1, 0]


def test_the_same_text_leaks_whatever_the_threshold() -> None:
    found = find_leaks(["a", "", "b"], np.concatenate([circle(33, 0), np.zeros((1, 2), np.float32)]),
                       ["x", "b", "a", "a"], np.concatenate([circle(90), np.zeros((1, 2), np.float32), circle(33, 33)]),
                       threshold=1.0)  # fmt: skip
    assert found.kept.tolist() == [False, True, False]
    assert found.like.tolist() == [2, 1, 1]


def test_the_advice_finds_planted_duplicates() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(2000, 12))
    copies = vectors[:100] + rng.normal(size=(100, 12)) * 0.03
    every = np.concatenate([vectors, copies]).astype(np.float32)
    found = find_duplicates([str(i) for i in range(2100)], every)
    assert found.advice is not None
    assert found.advice.told
    planted = {(i, 2000 + i) for i in range(100)}
    pairs = set(zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True))
    assert len(pairs & planted) >= 98
    assert len(pairs - planted) <= 30
    assert "advised from the texts" in found.advice.sentence()


def test_without_duplicates_or_with_few_texts_it_does_not_pretend() -> None:
    rng = np.random.default_rng(1)
    gumbel = np.tanh(0.5 + 0.05 * rng.gumbel(size=3000)).astype(np.float32)
    for cosines in (gumbel, gumbel[:50]):
        advice = advise(cosines)
        assert not advice.told
        assert advice.threshold == USUAL
        assert "usual one" in advice.sentence()


@pytest.mark.parametrize("threshold", [-1.0, 1.01, float("nan")])
def test_thresholds_that_are_no_cosines(threshold: float) -> None:
    with pytest.raises(InputError, match="threshold"):
        find_duplicates(["a", "b"], circle(0, 1), threshold)


def test_versions_of_each_other_are_no_duplicates() -> None:
    """A broad tail of related texts, which chance does not explain, does not pull the advice below its bound."""
    rng = np.random.default_rng(0)
    cosines = np.tanh(0.3 + 0.05 * rng.gumbel(size=3000))
    cosines[:900] = rng.uniform(0.6, 0.95, size=900)
    advice = advise(cosines.astype(np.float32))
    assert advice.threshold == LOWEST
    assert advice.told is not None
    assert advice.told < 0.7
    assert advice.found == (cosines.astype(np.float32) >= LOWEST).sum()
    assert f"the texts alone say {advice.told:.3f}" in advice.sentence()


def test_every_dropped_text_has_one_reason() -> None:
    # 0 stands for 1 and 2; 3 is a copy of 1, whose pair with 1 is its reason; 0 and 2 are near, 1 and 2 nearer
    found = find_duplicates(["a", "b", "c", "b"], circle(0, 8, 10, 8), threshold=float(np.cos(np.radians(12))))
    assert found.like.tolist() == [0, 0, 0, 0]
    pairs = zip(found.pairs.left.tolist(), found.pairs.right.tolist(), found.reasons(within=True).tolist(), strict=True)
    assert {(i, j): reason for i, j, reason in pairs} == {
        (1, 3): True, (0, 1): True, (0, 2): True, (1, 2): False,
    }  # fmt: skip
    leaks = find_leaks(["a", "b"], circle(0, 90), ["c", "d", "e"], circle(8, 2, 45), threshold=0.95)
    assert leaks.pairs.right.tolist() == [1, 0]
    assert leaks.reasons(within=False).tolist() == [True, False]


def test_reasons_of_many() -> None:
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(300, 3)).astype(np.float32)
    texts = [str(i % 250) for i in range(300)]
    found = find_duplicates(texts, vectors[np.arange(300) % 250], threshold=0.98)
    reasons = found.reasons(within=True)
    gone = found.pairs.right[reasons]
    assert sorted(gone.tolist()) == np.flatnonzero(~found.kept).tolist()
