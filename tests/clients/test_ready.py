"""What clients accept."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import FunctionTransformer

from attar import Embedder, Transformer, shapers
from attar.clients import CLIENTS
from attar.clients.vectors import UNSAVED, lists_of, ready, reopened, revision_of, vectors_of
from attar.errors import InputError, MissingExtra

LIBRARY = {"chroma": "chromadb", "lance": "lancedb", "langchain": "langchain_core"}


def test_a_folder_and_an_embedder(tiny_bert: Transformer, tmp_path: Path) -> None:
    made = Embedder(tiny_bert)
    made.save(tmp_path / "recipe")
    texts = ["the cat", "a dog"]
    np.testing.assert_array_equal(vectors_of(ready(str(tmp_path / "recipe")), texts), made.encode(texts))
    np.testing.assert_array_equal(vectors_of(ready(tmp_path / "recipe"), texts), made.encode(texts))
    assert lists_of(ready(made), texts) == made.encode(texts).tolist()
    np.testing.assert_array_equal(vectors_of(made.set_output(transform="pandas"), texts), made.encode(texts))


def test_what_must_learn_is_refused(tiny_bert: Transformer) -> None:
    with pytest.raises(InputError, match="must see texts first"):
        ready(Embedder(tiny_bert, shapers=[shapers.ZScore()]))
    with pytest.raises(InputError, match="not an Embedder"):
        ready(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [None, float("nan"), 3, ["the", "cat"]])
def test_what_is_no_text_has_no_vector(tiny_bert: Transformer, wrong: object) -> None:
    with pytest.raises(InputError, match=r"text 1 is .*, not a string"):
        vectors_of(ready(Embedder(tiny_bert)), ["the cat", wrong])
    with pytest.raises(InputError, match="expected texts as a list"):
        vectors_of(ready(Embedder(tiny_bert)), "the cat")


def test_what_was_kept_is_opened_again_or_refused(tiny_bert: Transformer, tmp_path: Path) -> None:
    texts, folder = ["the cat", "a dog", "a dog ran"], str(tmp_path / "recipe")
    made = Embedder(tiny_bert, shapers=[shapers.ZScore()]).fit(texts)
    made.save(folder)
    np.testing.assert_array_equal(reopened(folder, revision_of(made)).encode(texts), made.encode(texts))
    np.testing.assert_array_equal(reopened(folder, None).encode(texts), made.encode(texts))
    with pytest.raises(InputError, match="an Embedder in memory, of which a library can keep nothing"):
        reopened(None, revision_of(made))
    Embedder(tiny_bert, shapers=[shapers.ZScore()]).fit(texts[:2]).save(folder, overwrite=True)
    with pytest.raises(InputError, match="was replaced or fitted anew since vectors were made with it"):
        reopened(folder, revision_of(made))
    undescribed = Embedder(tiny_bert, shapers=[FunctionTransformer(np.negative)]).fit(texts)
    assert revision_of(undescribed) == UNSAVED


@pytest.mark.parametrize("client", CLIENTS)
def test_a_library_that_is_absent_is_named(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library = LIBRARY.get(client, client)
    if find_spec(library) is not None:
        pytest.skip(f"{library} is installed")
    monkeypatch.delitem(sys.modules, f"attar.clients.{client}", raising=False)
    with pytest.raises(MissingExtra, match=r"attar\[clients\]"):
        import_module(f"attar.clients.{client}")
