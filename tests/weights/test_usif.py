from __future__ import annotations

import sys
import types

import numpy as np
import pytest

from attar import weights
from attar.errors import InputError, NotFittedError
from attar.types import Role, Tokens, Vocabulary

WORDS = Vocabulary(("the", "cat", "sat", "mat"), frozenset(), None, None, continuation="")
SEEN = Tokens.of([[0, 0, 0, 0, 0, 0, 1, 1, 2, 3]])  # shares 0.6, 0.2, 0.1, 0.1


def test_by_hand():
    found = weights.parse("usif:1").fit(SEEN, WORDS)  # threshold 1 - (1 - 1/4)^1 = 0.25: one of four words is above
    assert found.a_ == pytest.approx((1 - 0.25) / (0.25 * 2))  # 1.5
    expected = 1.5 / (0.75 + np.array([0.6, 0.2, 0.1, 0.1]))
    np.testing.assert_allclose(found.weigh(Tokens.of([[0, 1, 2, 3]])), expected, rtol=1e-6)


def test_the_publications_formula():
    counts = np.random.default_rng(0).zipf(1.3, 3000).clip(max=10**6)
    vocabulary = Vocabulary(tuple(map(str, range(3000))), frozenset(), None, None, continuation="")
    found = weights.Usif()
    found.token_count_ = counts
    p, v = counts / counts.sum(), 3000
    alpha = sum(p > 1 - (1 - 1 / v) ** 11) / v  # the names of the publication
    a = (1 - alpha) / (alpha * 0.5 * v)
    np.testing.assert_allclose(found.weigh(Tokens.of([range(len(vocabulary))])), a / (0.5 * a + p), rtol=1e-5)


def test_texts_of_one_word_weigh_all_alike():
    found = weights.parse("usif").fit(Tokens.of([[0, 0]]), WORDS)
    assert np.isfinite(found.weigh(SEEN)).all()
    assert (found.weigh(SEEN) > 0).all()


def test_special_tokens_and_names():
    tokens = Tokens.of([[0, 1]], [[Role.SPECIAL, Role.TEXT]])
    assert weights.parse("usif").fit(SEEN, WORDS).weigh(tokens)[0] == 0
    assert weights.parse("usif+specials").fit(SEEN, WORDS).weigh(tokens)[0] > 0
    assert weights.parse("usif:7+english").name == "usif:7.0+english"
    assert weights.parse("usif").needs_texts
    assert not weights.parse("usif+english").needs_texts
    with pytest.raises(NotFittedError):
        weights.parse("usif").weigh(tokens)


def test_frequencies_of_english(monkeypatch):
    fake = types.ModuleType("wordfreq")
    fake.get_frequency_dict = lambda language: {"the": 0.05, "cat": 0.001} if language == "en" else {}
    monkeypatch.setitem(sys.modules, "wordfreq", fake)
    found = weights.parse("sif+english").fit(Tokens.of([]), WORDS)
    np.testing.assert_allclose(found.shares(), [0.05 / 0.051, 0.001 / 0.051, 0, 0], rtol=1e-6)
    assert weights.parse("sif+english").set_state(found.state()).weigh(SEEN)[-1] == 1


def test_frequencies_of_english_are_of_words(monkeypatch):
    with pytest.raises(InputError, match=r"pieces of words; leave out \+english"):
        weights.parse("sif+english").fit(Tokens.of([]), Vocabulary(("a", "##b"), frozenset(), None, None))
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(InputError, match=r"pip install 'attar\[english\]'"):
        weights.parse("usif+english").fit(Tokens.of([]), WORDS)
