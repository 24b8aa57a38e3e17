"""The code blocks of docs/exports.md, run one after the other on a small recipe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from attar import Embedder, Transformer, shapers

DOC = Path(__file__).resolve().parents[2] / "docs" / "exports.md"
TEXTS = ["the cat sat", "a dog ran", "seven trees", "music on the river", "blue light", "red light"] * 2


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", DOC.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.fixture
def workplace(tiny_bert_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Embedder(Transformer(tiny_bert_dir), 1, shapers=[shapers.ZScore()]).fit(TEXTS).save("my-recipe")
    return tmp_path


def test_export_block(workplace: Path) -> None:
    exec(blocks()[0], {})
    assert (workplace / "my-model/modules.json").is_file()


def test_scikit_learn_block(workplace: Path) -> None:
    names = {"texts": TEXTS, "labels": [0, 1] * 6}
    exec(blocks()[2], names)
    assert names["search"].best_params_  # type: ignore[attr-defined]
    assert (workplace / "token-vectors/token_vectors.sqlite").is_file()


def test_adapters_serve_clients_that_look_alike(tiny_bert: Transformer) -> None:
    names: dict[str, type] = {}
    exec(blocks()[3], names)
    adapter = names["Embeddings"](Embedder(tiny_bert))

    def nearest(client: object, documents: list[str], query: str) -> str:
        """What a vector store does with an embedding model."""
        rows = client.embed_documents(documents)  # type: ignore[attr-defined]
        wanted = client.embed_query(query)  # type: ignore[attr-defined]
        assert all(type(value) is float for value in wanted)
        return min(
            zip(rows, documents, strict=True),
            key=lambda p: sum((a - b) ** 2 for a, b in zip(p[0], wanted, strict=True)),
        )[1]

    assert nearest(adapter, TEXTS[:6], "seven trees") == "seven trees"


def test_adapter_in_langchain(tiny_bert: Transformer) -> None:
    stores = pytest.importorskip("langchain_core.vectorstores")
    names: dict[str, type] = {}
    exec(blocks()[3], names)
    store = stores.InMemoryVectorStore(names["Embeddings"](Embedder(tiny_bert)))
    store.add_texts(TEXTS[:6])
    assert store.similarity_search("seven trees", k=1)[0].page_content == "seven trees"


def test_adapter_in_llama_index(tiny_bert: Transformer) -> None:
    core = pytest.importorskip("llama_index.core")
    names: dict[str, type] = {}
    exec(blocks()[4], names)
    nodes = [core.schema.TextNode(text=text) for text in TEXTS[:6]]
    index = core.VectorStoreIndex(nodes, embed_model=names["AttarEmbedding"](Embedder(tiny_bert)))
    assert index.as_retriever(similarity_top_k=1).retrieve("seven trees")[0].text == "seven trees"


def test_what_goes_where_names_all_formats() -> None:
    from attar.exports import FORMATS

    assert all(f"--to {name}" in DOC.read_text(encoding="utf-8") for name in FORMATS)
