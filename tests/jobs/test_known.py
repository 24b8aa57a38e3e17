from __future__ import annotations

import logging

import numpy as np
import pytest

from attar import Embedder
from attar.jobs.duplicates import find_duplicates
from attar.jobs.index import Index
from attar.jobs.known import known_texts, without_unknown

TEXTS = ["the cat ran", "☃☃", "☂", "", "the cat ran ☃", "☂"]


def test_what_has_no_known_token_is_near_to_nothing(tiny_bert, caplog: pytest.LogCaptureFixture):
    assert known_texts(tiny_bert, TEXTS).tolist() == [True, False, False, False, True, False]
    vectors = np.ones((len(TEXTS), 2), dtype=np.float32)  # as if all were the same
    with caplog.at_level(logging.WARNING, logger="attar"):
        left = without_unknown(vectors, tiny_bert, TEXTS)
    assert left.any(axis=1).tolist() == [True, False, False, False, True, False]
    assert "4 of 6 texts have no token that the model knows" in caplog.text
    found = find_duplicates(TEXTS, left, 0.9)
    pairs = set(zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True))
    assert pairs == {(0, 4), (2, 5)}  # near ones, and those that are equal word for word


def test_known_texts_stay_as_they_are(tiny_bert):
    vectors = np.ones((1, 2), dtype=np.float32)
    assert without_unknown(vectors, tiny_bert, ["the cat"]) is vectors


def test_a_blank_query_finds_nothing(tiny_bert, tmp_path):
    index = Index.build(tmp_path / "index", Embedder(tiny_bert), ["the cat ran", "a dog sat"])
    hits = index.search_all(["the cat ran", " ", ""], top=1)
    assert [[hit.row for hit in found] for found in hits] == [[0], [], []]
