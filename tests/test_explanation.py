"""Contributions add up to the cosine of `encode`, and belong to the words they are said to belong to."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from small_tables import few_vectors, few_words

from attar import Embedder, Transformer, shapers, weights
from attar.encoders.table import Table
from attar.errors import InputError, NotFittedError
from attar.explanation import Explanation, Word
from attar.jobs.explained_page import as_page
from attar.jobs.explained_text import best_pairs, in_terminal
from attar.types import Role

A, B = "the cat sat on the mat", "a dog walking on seven blue trees"
TEXTS = [A, B, "music", "the red river", "a man and a woman", "light", "to play the music", "walk on", "blue", "seven"]
CHAINS: list[tuple[Any, list[Any], Any]] = [
    (None, [], "last"),
    (weights.Idf(), [shapers.ZScore(), shapers.Unit()], ("first", "last")),
    (weights.Mean(specials=True), [shapers.Unit(), shapers.Center(), shapers.AllButTheTop(1), shapers.Unit()], (1, 3)),
    (weights.Debiased(), [shapers.Robust()], {0: 0.3, 2: 0.9}),
    (None, [shapers.Quantile("normal"), shapers.Unit()], "last"),
]


def cosine(embedder: Embedder, a: str, b: str) -> float:
    x, y = embedder.encode([a, b]).astype(np.float64)
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("windows", [None, 2])
def test_they_add_up(chain: tuple[Any, list[Any], Any], windows: int | None, tiny_bert_dir: Any) -> None:
    encoder = Transformer(tiny_bert_dir, max_tokens=8 if windows else None, windows=windows)
    weighting, chained, layers = chain
    embedder = Embedder(encoder, layers, weighting, chained).fit(
        TEXTS[2:]
    )  # quantiles jump at the very values they were fitted on
    found = embedder.explain(A, B)
    assert found.contributions.sum() == pytest.approx(cosine(embedder, A, B), abs=1e-6)
    assert found.cosine == pytest.approx(cosine(embedder, A, B), abs=1e-6)
    np.testing.assert_allclose(found.of_a.sum(), found.of_b.sum())
    assert found.exact == (not any(isinstance(shaper, shapers.Quantile) for shaper in chained))


def test_by_hand() -> None:
    table = Table(few_vectors(), few_words())
    found = Embedder(table).explain("cat sat", "dog")
    cat, sat, dog = (few_vectors()[i].astype(float) for i in (6, 7, 8))
    length = np.linalg.norm((cat + sat) / 2) * np.linalg.norm(dog)
    np.testing.assert_allclose(found.contributions[:, 0], [cat @ dog / 2 / length, sat @ dog / 2 / length], rtol=1e-6)
    assert [word.text for word in found.a] == ["cat", "sat"]


def test_pieces_are_joined_to_words(tiny_bert: Transformer) -> None:
    found = Embedder(tiny_bert).explain("walking on", "the dogs")
    assert [word.text for word in found.a] == ["walking", "on"]
    assert [word.text for word in found.b] == ["the", "dogs"]
    assert found.to_json()["a"] == ["walking", "on"]


def test_what_can_not_be_explained(tiny_bert: Transformer) -> None:
    table = Table(few_vectors(), few_words())
    with pytest.raises(InputError, match="no tokens"):
        Embedder(table).explain("", "cat")
    with pytest.raises(NotFittedError):
        Embedder(tiny_bert, shapers=[shapers.ZScore()]).explain("a", "b")


def test_of_mobilebert(mobilebert_dir: Any) -> None:
    embedder = Embedder(
        Transformer(mobilebert_dir), ("first", "last"), weights.Idf(), [shapers.ZScore(), shapers.Unit()]
    )
    embedder.fit(TEXTS * 5)
    assert embedder.explain(A, B).cosine == pytest.approx(cosine(embedder, A, B), abs=1e-6)


@pytest.mark.parametrize(
    ("weighting", "template", "read"),
    [(weights.Mask(), "T0", "[MASK]"), (weights.First(), None, "[CLS]"), (weights.Last(), None, "[SEP]")],
)
def test_a_token_that_stands_for_the_whole_text_is_said(
    weighting: Any, template: str | None, read: str, tiny_bert_dir: Any
) -> None:
    found = Embedder(Transformer(tiny_bert_dir, template=template), weights=weighting).explain(A, B)
    assert found.note.startswith(f"the recipe reads {read} alone")
    assert found.to_json()["note"] == found.note
    assert in_terminal(found, colours=False) == f"cosine {found.cosine:.4f}\nnote: {found.note}"
    assert best_pairs(found) == f"why: {found.note}"
    assert found.note in as_page(found)


def test_words_that_can_be_told_apart_have_no_note(tiny_bert_dir: Any) -> None:
    embedder = Embedder(Transformer(tiny_bert_dir, template="T0"), weights=weights.Mean())
    assert embedder.explain(A, B).note == ""
    assert "note:" not in in_terminal(embedder.explain(A, B), colours=False)


def test_weak_contributions_do_not_glare_on_a_dark_terminal() -> None:
    words = (Word("strong", Role.TEXT, 0.5), Word("weak", Role.TEXT, 0.5))
    shown = in_terminal(Explanation(words, words[:1], np.array([[0.9], [0.2]]), 1.1), colours=True)
    filled = [line for line in shown.split("\x1b[0m") if "\x1b[48;" in line]
    assert len(filled) == 3  # the word, the only word of the other text, and their cell of the matrix
    assert not any("weak" in part for part in filled)


def test_words_are_no_elements_of_the_page() -> None:
    words = tuple(Word(text, Role.TEXT, 0.5) for text in ("<img src=x onerror=alert(1)>", "</style><script>"))
    made = as_page(Explanation(words, words, np.eye(2), 1.0))
    assert made.count("&lt;img") == made.count("&lt;/style") == 4  # in both lines, and in both heads of the table
    assert not re.search(r"<(img|script)", made)
    assert made.count("</style") == 1
