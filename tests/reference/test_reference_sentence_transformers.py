"""The plain mean of the last layer, made of length 1, is what sentence-transformers gives for all-MiniLM-L6-v2."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from attar import Embedder, Transformer, tasks
from attar.checkpoints import default
from attar.shapers import Unit
from attar.weights import Mean

sentence_transformers = pytest.importorskip("sentence_transformers")

WHO = ["A cat", "Two old men", "The committee", "Nobody", "She"]
WHAT = ["sat on the mat", "argued about 3.5% of GDP", "said \u201cnaïve café\u201d", "ran \u2014 quickly! \u2014 home"]
WHEN = ["yesterday.", "because the river, which had risen since March, flooded the lower fields again;", ""]
SENTENCES = [" ".join(parts) for parts in product(WHO, WHAT, WHEN)]


@pytest.fixture(scope="module")
def theirs():
    return sentence_transformers.SentenceTransformer(str(default.folder()), device="cpu")


@pytest.fixture(scope="module")
def ours() -> Embedder:
    return Embedder(Transformer(), weights=Mean(specials=True), shapers=[Unit()])


def check(ours: Embedder, theirs, texts: list[str]) -> None:
    wanted = theirs.encode(texts, convert_to_numpy=True, show_progress_bar=False)
    found = ours.encode(texts)
    assert found.shape == wanted.shape == (len(texts), 384)
    cosines = np.einsum("nd,nd->n", found.astype(np.float64), wanted.astype(np.float64))
    assert cosines.min() >= 0.99999
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5)


def test_sixty_sentences(ours, theirs):
    assert len(set(SENTENCES)) == 60
    check(ours, theirs, SENTENCES)


def test_texts_at_the_limit_and_empty_ones(ours, theirs):
    check(ours, theirs, ["long text " * 300, "", " ", "word " * 254, "word " * 255, "UPPER lower"])


@pytest.mark.slow
def test_a_thousand_real_sentences(ours, theirs, data_dir):
    texts = list(dict.fromkeys(tasks.load("STS-B", data_dir, split="dev").texts))[:1000]
    assert len(texts) == 1000
    check(ours, theirs, texts)
