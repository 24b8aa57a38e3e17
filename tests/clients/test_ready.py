"""What clients accept."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from attar import Embedder, Transformer, shapers
from attar.clients import CLIENTS
from attar.clients.txtai import settings
from attar.clients.vectors import lists_of, ready, vectors_of
from attar.errors import InputError, MissingExtra

LIBRARY = {"chroma": "chromadb", "lance": "lancedb", "langchain": "langchain_core"}


def test_a_folder_and_an_embedder(tiny_bert: Transformer, tmp_path: Path) -> None:
    made = Embedder(tiny_bert)
    made.save(tmp_path / "recipe")
    texts = ["the cat", "a dog"]
    np.testing.assert_array_equal(vectors_of(ready(str(tmp_path / "recipe")), texts), made.encode(texts))
    assert lists_of(ready(made), texts) == made.encode(texts).tolist()
    np.testing.assert_array_equal(settings(made)["transform"](texts), made.encode(texts))


def test_what_must_learn_is_refused(tiny_bert: Transformer) -> None:
    with pytest.raises(InputError, match="must see texts first"):
        ready(Embedder(tiny_bert, shapers=[shapers.ZScore()]))
    with pytest.raises(InputError, match="not an Embedder"):
        ready(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("client", [client for client in CLIENTS if client != "txtai"])
def test_a_library_that_is_absent_is_named(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library = LIBRARY.get(client, client)
    if find_spec(library) is not None:
        pytest.skip(f"{library} is installed")
    monkeypatch.delitem(sys.modules, f"attar.clients.{client}", raising=False)
    with pytest.raises(MissingExtra, match=r"attar\[clients\]"):
        import_module(f"attar.clients.{client}")
