"""Counts of other articles, each as often as it is like ours, on made-up data."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import tokenizers
from tokenizers import models, pre_tokenizers

from attar import Random

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
OWN = [[" = First = ", " The cat sat . "], [" = Second = ", " The dog sat . "]]
OTHERS = [["= Third =", "The cat barked ."], ["= Fourth =", "A bird sang .", "A cat sang ."]]


@pytest.fixture(scope="module")
def larger() -> ModuleType:
    sys.path.insert(0, str(EXAMPLES))
    try:
        import random_larger
    finally:
        sys.path.remove(str(EXAMPLES))
    return random_larger


def test_text_of_an_article_reads_as_if_it_had_never_been_cut_into_words(larger: ModuleType) -> None:
    lines = [
        " = A Title = ",
        " A role @-@ playing game ( in 2 @,@ 000 ) , it 's <unk> . ",
        "",
        " = = Part = = ",
        " More . ",
    ]
    assert larger.running_text(lines) == "A role-playing game (in 2,000), it's. More."


def test_others_weigh_as_they_are_like_ours(larger: ModuleType) -> None:
    generator = np.random.default_rng(0)
    own, others = generator.normal(1, 1, (400, 1)), generator.normal(0, 1, (4000, 1))
    times = larger.likeness(own, others)
    exact = np.exp(others[:, 0] - 0.5)  # the ratio of the two densities
    near = np.abs(others[:, 0]) < 1.5
    assert times[near] == pytest.approx(exact[near], rel=0.25)
    assert np.average(others[:, 0], weights=times) == pytest.approx(1, abs=0.15)
    assert times.max() <= larger.MOST


def test_counts_are_weighted_and_a_token_never_seen_counts_as_seen_once(larger: ModuleType) -> None:
    words = ["[UNK]", "cat", "dog", "bird", "fish"]
    tokenizer = tokenizers.Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    random = Random(tokenizer, dims=16, seed=1)
    mine, theirs = (
        larger.Counts.of(random, articles, "lines that are not empty") for articles in (OWN, OTHERS)
    )  # of 4 and 5 lines, titles among them
    idf = larger.counted((mine, np.ones(2)), (theirs, np.array([0.5, 2.0]))).idf_
    n = 4 + 0.5 * 2 + 2 * 3
    expected = {"cat": 1 + 0.5 + 2, "dog": 1, "bird": 2, "fish": 1}
    for word, documents in expected.items():
        assert idf[words.index(word)] == pytest.approx(np.log(n / documents), abs=1e-6), word
