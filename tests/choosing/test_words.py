from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import MultinomialNB

from attar.choosing.words import SMOOTHINGS, SharedWords

FRUIT = ["A red apple", "The red apple", "a blue car", "the blue car"]


def test_words_that_only_one_text_has_are_left_out_and_others_count_once() -> None:
    shared = SharedWords.of(["apple Apple pear", "apple plum", "nothing", "42 !"])
    assert (shared.n_texts, shared.texts.tolist(), shared.words.tolist()) == (4, [0, 1], [0, 0])
    assert shared.per_text == 0.5


def test_gains_worked_by_hand() -> None:
    """Words: a, apple, blue, car, red, the, each in two texts; all twelve are counted, three of them one's own."""
    gains = SharedWords.of(FRUIT).gains(np.array([0, 0, 1, 1]))
    everywhere, smoothing = 1 / 9, min(SMOOTHINGS)
    with_other = (1 + smoothing * everywhere) / (3 + smoothing)  # red, apple: the other text of the group has it
    without = (0 + smoothing * everywhere) / (3 + smoothing)  # a: no other text of the group has it
    strongest = 2 * np.log(with_other / everywhere) + np.log(without / everywhere)
    assert gains == pytest.approx([strongest] * 4)
    assert strongest > 0


def test_groups_that_cut_across_words_gain_nothing() -> None:
    shared = SharedWords.of(FRUIT * 5)
    across = shared.gains(np.tile([0, 1, 1, 0], 5))
    assert shared.gains(np.tile([0, 0, 1, 1], 5)).mean() > across.mean() + 0.5
    assert across.mean() < 0.05


def test_as_naive_bayes_does_without_the_text_itself() -> None:
    """Log-chances of words by scikit-learn, from the other texts alone, smoothed by all other texts' words."""
    rng = np.random.default_rng(0)
    rows = (rng.random((40, 6)) < np.where(np.arange(40)[:, None] < 20, [0.7] * 3 + [0.2] * 3, 0.3)).astype(int)
    rows[:2] = 1  # no word is alone
    texts = [" ".join(f"w{chr(97 + j)}" for j in np.flatnonzero(row)) for row in rows]
    labels = np.repeat([0, 1], 20)
    got = SharedWords.of(texts).gains(labels)
    fits = []
    for smoothing in SMOOTHINGS:
        found = []
        for i in range(40):
            others = np.arange(40) != i
            everywhere = rows[others].sum(axis=0) / rows[others].sum()
            same = rows[others & (labels == labels[i])].sum(axis=0)
            added = MultinomialNB(alpha=1e-12, force_alpha=True).fit([same + smoothing * everywhere], [0])
            found.append(rows[i] @ (added.feature_log_prob_[0] - np.log(everywhere)))
        fits.append(found)
    np.testing.assert_allclose(got, max(fits, key=np.mean), atol=1e-9)


@given(st.lists(st.text(alphabet="ab c", max_size=8), min_size=1, max_size=8), st.integers(1, 3))
def test_gains_are_finite_whatever_the_texts(texts: list[str], k: int) -> None:
    labels = np.arange(len(texts)) % k
    gains = SharedWords.of(texts).gains(labels)
    assert gains.shape == (len(texts),)
    assert np.isfinite(gains).all()
