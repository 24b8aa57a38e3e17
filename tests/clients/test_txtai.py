"""An index of txtai that is loaded again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attar import Embedder, Transformer, shapers

txtai = pytest.importorskip("txtai", reason="txtai is not installed: `make clients` installs it")

TEXTS = ["the cat", "a dog", "a dog ran"]


@pytest.fixture
def fitted(tiny_bert: Transformer) -> Embedder:
    return Embedder(tiny_bert, shapers=[shapers.ZScore(), shapers.Unit()]).fit(TEXTS)


def test_a_folder_is_opened_again(fitted: Embedder, tmp_path: Path) -> None:
    from attar.clients.txtai import settings

    fitted.save(tmp_path / "recipe")
    index = txtai.Embeddings(settings(tmp_path / "recipe"))
    index.index(TEXTS)
    index.save(str(tmp_path / "index"))
    again = txtai.Embeddings()
    again.load(str(tmp_path / "index"))
    np.testing.assert_allclose(again.batchtransform(TEXTS), fitted.encode(TEXTS), atol=1e-6)
    assert again.search(TEXTS[1], 1)[0] == (1, pytest.approx(1, abs=1e-5))


def test_an_embedder_in_memory_is_asked_for_again(fitted: Embedder, tmp_path: Path) -> None:
    from attar.clients.txtai import settings

    index = txtai.Embeddings(settings(fitted))
    index.index(TEXTS)
    index.save(str(tmp_path / "index"))
    with pytest.raises(ImportError) as raised:
        txtai.Embeddings().load(str(tmp_path / "index"))
    assert "made with an Embedder in memory" in str(raised.value.__cause__)
    again = txtai.Embeddings()
    again.load(str(tmp_path / "index"), config=settings(fitted))
    assert again.search(TEXTS[1], 1)[0] == (1, pytest.approx(1, abs=1e-5))
