"""What chromadb keeps of an embedding function: enough to have its vectors again, or to refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attar import Embedder, Transformer, shapers
from attar.errors import InputError

chromadb = pytest.importorskip("chromadb", reason="chromadb is not installed: `make clients` installs it")

TEXTS = ["the cat", "a dog", "a dog ran"]


@pytest.fixture
def fitted(tiny_bert: Transformer) -> Embedder:
    return Embedder(tiny_bert, shapers=[shapers.ZScore()]).fit(TEXTS)


def found_later(folder: Path, made: Any) -> Any:
    """A collection of vectors by `made`, opened again without it."""
    client = chromadb.PersistentClient(str(folder))
    client.create_collection("texts", embedding_function=made).add(ids=list("012"), documents=TEXTS)
    return chromadb.PersistentClient(str(folder)).get_collection("texts")


def test_a_folder_is_opened_again(fitted: Embedder, tmp_path: Path) -> None:
    from attar.clients.chroma import AttarEmbeddingFunction

    fitted.save(tmp_path / "recipe")
    for n, made in enumerate((AttarEmbeddingFunction(recipe=tmp_path / "recipe"), AttarEmbeddingFunction(fitted))):
        np.testing.assert_array_equal(np.stack(made(TEXTS)), fitted.encode(TEXTS))
        assert made.get_config()["recipe"] == (str(tmp_path / "recipe") if n == 0 else None)
    later = found_later(tmp_path / "base", AttarEmbeddingFunction(recipe=tmp_path / "recipe"))
    assert later.query(query_texts=TEXTS[:1])["distances"][0][0] == pytest.approx(0, abs=1e-5)


def test_an_embedder_in_memory_is_asked_for_again(fitted: Embedder, tmp_path: Path) -> None:
    from attar.clients.chroma import AttarEmbeddingFunction

    later = found_later(tmp_path, AttarEmbeddingFunction(fitted))  # chromadb's own model is never taken instead
    with pytest.raises(InputError, match="made with an Embedder in memory"):
        later.query(query_texts=TEXTS[:1])
    client = chromadb.PersistentClient(str(tmp_path))
    again = client.get_collection("texts", embedding_function=AttarEmbeddingFunction(fitted))
    assert again.query(query_texts=TEXTS[:1])["distances"][0][0] == pytest.approx(0, abs=1e-5)
