"""What LanceDB keeps of an embedding function, and rows without a text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attar import Embedder, Transformer
from attar.errors import InputError

lancedb = pytest.importorskip("lancedb", reason="lancedb is not installed: `make clients` installs it")

TEXTS = ["the cat", "a dog", "a dog ran"]


def test_a_folder_is_kept_with_its_revision(tiny_bert: Transformer, tmp_path: Path) -> None:
    from attar.clients.lance import LanceEmbeddings

    made = Embedder(tiny_bert, layers="first")
    made.save(tmp_path / "recipe")
    kept = LanceEmbeddings.create(recipe=tmp_path / "recipe").safe_model_dump()
    assert kept == {"recipe": str(tmp_path / "recipe"), "revision": made.recipe.revision}
    again = LanceEmbeddings.create(**kept)
    assert again.ndims() == 16
    np.testing.assert_array_equal(again.compute_source_embeddings(TEXTS), made.encode(TEXTS))
    Embedder(tiny_bert).save(tmp_path / "recipe", overwrite=True)
    with pytest.raises(InputError, match="was replaced or fitted anew"):
        LanceEmbeddings.create(**kept).ndims()


def test_an_embedder_can_not_be_kept(tiny_bert: Transformer) -> None:
    from attar.clients.lance import LanceEmbeddings

    with pytest.raises(InputError, match=r"LanceDB can't keep embedder=.*give recipe='folder'"):
        LanceEmbeddings.create(embedder=Embedder(tiny_bert))


def test_a_row_without_a_text_has_no_vector(tiny_bert: Transformer, tmp_path: Path) -> None:
    from attar.clients.lance import LanceEmbeddings

    Embedder(tiny_bert).save(tmp_path / "recipe")
    one, none, other = LanceEmbeddings.create(recipe=str(tmp_path / "recipe")).generate_embeddings(["a", None, "b"])
    assert none is None
    np.testing.assert_array_equal([one, other], Embedder(tiny_bert).encode(["a", "b"]))
