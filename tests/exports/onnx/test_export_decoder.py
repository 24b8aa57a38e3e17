"""Graphs of causal models, whose tokenizers put nothing around a text: one without tokens, alone and among others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tokenizers
import transformers
from export_cases import check_same, made_sentences

import tiny_models
from attar import Embedder, Transformer, weights
from attar.exports import export
from attar.types import Floats

SIZES = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 48, "max_position_embeddings": 64, "pad_token_id": 0,
}  # fmt: skip
TEXTS = ["the cat sat", "", "a man playing music", *made_sentences(20, seed=3)]


@pytest.fixture(scope="module")
def llama_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, tokenizer = tmp_path_factory.mktemp("llama"), tiny_models.without_frame()
    config = transformers.LlamaConfig(**SIZES, vocab_size=tokenizer.get_vocab_size())
    tiny_models.spread(transformers.AutoModel.from_config(config), width=0.2).save_pretrained(str(folder))
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def run(folder: Path, texts: list[str]) -> Floats:
    onnxruntime = pytest.importorskip("onnxruntime")
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.encode_special_tokens = True
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    batch = tokenizer.encode_batch(texts)
    ids, mask = (np.array([getattr(e, key) for e in batch], dtype=np.int64) for key in ("ids", "attention_mask"))
    found: Floats = session.run(["sentence_embedding"], {"input_ids": ids, "attention_mask": mask})[0]
    return found


@pytest.mark.parametrize("recipe", [{"layers": 1}, {"shapers": "zscore"}, {"weights": weights.Last()}], ids=str)
def test_a_text_without_tokens(llama_dir: Path, tmp_path: Path, recipe: dict[str, object]) -> None:
    pytest.importorskip("onnxscript")
    embedder = Embedder(Transformer(llama_dir), **recipe).fit(TEXTS)
    assert not len(embedder.encoder_.tokenize([""]).ids)
    export(embedder, "onnx", tmp_path / "graph")
    for texts in (TEXTS, [""], ["", ""], ["", "the cat"]):
        found, wanted = run(tmp_path / "graph", texts), embedder.encode(texts)
        full = np.linalg.norm(wanted, axis=1) > 0
        assert not found[~full].any()
        if full.any():
            check_same(found[full], wanted[full])
