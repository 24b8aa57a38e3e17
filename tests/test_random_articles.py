"""Whether other articles explain a row of random embeddings, on made-up data."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import tokenizers
from tokenizers import models, pre_tokenizers

from attar import Random, Table, tasks, weights

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
LINES = [
    "",
    " = First = ",
    " The cat sat . ",
    " = = A part = = ",
    " The dog sat . ",
    " = Second = ",
    " The cat barked . ",
]


@pytest.fixture(scope="module")
def articles() -> ModuleType:
    sys.path.insert(0, str(EXAMPLES))
    try:
        import random_articles
    finally:
        sys.path.remove(str(EXAMPLES))
    return random_articles


def random_of(lines: list[str]) -> Random:
    words = ["[UNK]", *sorted({word for line in lines for word in line.split()})]
    tokenizer = tokenizers.Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return Random(tokenizer, dims=16, seed=1)


def test_an_article_begins_with_a_title_and_not_with_the_heading_of_a_part(articles: ModuleType) -> None:
    found = articles.articles(LINES)
    assert [len(article) for article in found] == [4, 2]
    assert found[1] == LINES[5:]


def test_counts_of_articles_add_up_to_those_of_the_file(articles: ModuleType) -> None:
    random = random_of(LINES)
    counts = articles.Counts.of(random, articles.articles(LINES), "lines that are not empty")
    every = weights.Idf().fit(random.tokenize([line.strip() for line in LINES if line.strip()]), random.vocabulary)
    whole = counts.whole()
    assert (whole.document_frequency_ == every.document_frequency_).all()
    assert whole.n_documents_.tolist() == every.n_documents_.tolist() == [6]
    twice = counts.idf(np.array([0, 2]))  # the second article twice, the first not at all
    cat, dog = (random.vocabulary.pieces.index(word) for word in ("cat", "dog"))
    assert (twice.document_frequency_[cat], twice.document_frequency_[dog], twice.n_documents_[0]) == (2, 0, 4)


def test_articles_are_drawn_with_replacement(articles: ModuleType) -> None:
    times = articles.drawn(1000, np.random.default_rng(0))
    assert times.sum() == 1000
    assert np.mean(times == 0) == pytest.approx(np.exp(-1), abs=0.05)
    assert articles.evenly(list("abcdef"), 3) == ["a", "c", "e"]


def test_chi2_with_and_without_the_spread_over_articles_worked_by_hand(articles: ModuleType) -> None:
    found = [(np.array([2.0, 0.0]), np.eye(2)), (np.array([0.0, 2.0]), np.eye(2))]
    flat = np.zeros((3, 2))
    assert articles.judged(found, [flat, flat]) == pytest.approx((8.0, 8.0))
    spread = np.array([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])  # variance 1 of the first number
    assert articles.judged(found, [spread, flat]) == pytest.approx((8.0, 4 / 2 + 4))
    # two tasks that move together: a covariance between them counts
    assert articles.judged(found, [spread, spread[:, ::-1]]) == pytest.approx((8.0, 8 / 3))


def test_a_word_that_decides_comes_first(articles: ModuleType) -> None:
    left, right = ("a b", "c d", "a d", "b c"), ("a c", "c d a", "b b", "d d b")
    task = tasks.StsTask("mine", left, right, np.array([1.0, 4.0, 2.0, 3.0]))
    random = random_of(["a b c d e"])
    table = Table(random.vectors(np.arange(len(random.vocabulary))), random.tokenizer.backend)
    idf = weights.Idf().fit(random.tokenize(["a b", "a", "c", "d"]), random.vocabulary)
    found = articles.deciding(table, {"mine": task}, idf, 4)
    assert {token for token, _ in found} == set("abcd")  # `e` is in no text
    assert [abs(changes[0]) for _, changes in found] == sorted((abs(c[0]) for _, c in found), reverse=True)
    shifted = articles.Shifted.of(idf, random.vocabulary.pieces.index("a"))
    assert (shifted.idf_ - idf.idf_)[random.vocabulary.pieces.index("a")] == pytest.approx(articles.SHARE)
    assert np.count_nonzero(shifted.idf_ != idf.idf_) == 1
