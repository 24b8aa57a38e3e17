"""Vectors of spaCy's documents, here and in other processes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attar import Embedder, Transformer
from attar.errors import InputError

spacy = pytest.importorskip("spacy", reason="spacy is not installed: `make clients` installs it")

TEXTS = ["the cat", "a dog", "a dog ran"]


@pytest.fixture
def nlp(tiny_bert: Transformer, tmp_path: Path) -> Any:
    import attar.clients.spacy  # noqa: F401

    Embedder(tiny_bert).save(tmp_path / "recipe")
    made = spacy.blank("en")
    made.add_pipe("attar", config={"recipe": str(tmp_path / "recipe")})
    return made


def test_similarity_is_the_cosine_without_a_warning(nlp: Any, tiny_bert: Transformer) -> None:
    embedder = Embedder(tiny_bert)
    one, other = nlp.pipe(TEXTS[:2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = one.similarity(other)
    assert found == pytest.approx(embedder.similarity(*embedder.encode(TEXTS[:2]))[0, 0], abs=1e-6)
    assert one.has_vector
    with pytest.raises(InputError, match="Span 'a' has no vector of this pipe"):
        one.similarity(other[0:1])


def test_vectors_come_back_from_other_processes_and_files(nlp: Any, tiny_bert: Transformer) -> None:
    from spacy.tokens import DocBin

    plain = Embedder(tiny_bert).encode(TEXTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # spaCy says that it leaves hooks behind
        packed = DocBin(docs=list(nlp.pipe(TEXTS, n_process=2)), store_user_data=True).to_bytes()
    found = DocBin().from_bytes(packed).get_docs(nlp.vocab)
    np.testing.assert_array_equal([doc._.attar for doc in found], plain)
