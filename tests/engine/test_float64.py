"""precision="float64": vectors are the model's own to the last digit of float32, whoever else is in the batch."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

import tiny_models
from attar import Embedder, Transformer, weights
from attar.engine.model import LayeredModel
from attar.errors import MissingExtra

TEXTS = [f"the cat {'sat ' * (n % 9)}on mat {'dog ' * (n % 5)}" for n in range(20)]


@pytest.fixture(scope="module")
def wild_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A MobileBERT with weights so wide that rounding shows: nothing norms its states."""
    tokenizer = tiny_models.wordpiece()
    settings = tiny_models.small(tokenizer) | {"num_hidden_layers": 4, "embedding_size": 8, "intra_bottleneck_size": 8}
    model = transformers.MobileBertModel(transformers.MobileBertConfig(**settings))
    return tiny_models.save(tmp_path_factory.mktemp("models") / "wild", tiny_models.spread(model, width=0.5), tokenizer)


def exact(folder: Path, encoder: Transformer) -> np.ndarray:
    """Every token's last state by transformers in float64, a text at a time. Shape: (T, D)"""
    model = transformers.AutoModel.from_pretrained(str(folder), dtype=torch.float64).eval()
    tokens = encoder.tokenize(TEXTS)
    rows = []
    for start, end in zip(tokens.offsets[:-1], tokens.offsets[1:], strict=True):
        with torch.no_grad():
            rows.append(model(torch.tensor([tokens.ids[start:end].tolist()])).last_hidden_state[0].numpy())
    return np.concatenate(rows)


def off(found: np.ndarray, wanted: np.ndarray) -> float:
    return float((np.linalg.norm(found - wanted, axis=1) / np.linalg.norm(wanted, axis=1)).max())


@pytest.mark.parametrize("model", ["tiny_bert_dir", "tiny_roberta_dir", "tiny_gpt2_dir", "wild_dir"])
def test_the_model_s_own_states(model: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(model)
    encoder = Transformer(folder, precision="float64")
    assert isinstance(encoder._model, LayeredModel)
    last = encoder.n_layers
    found = encoder.token_vectors(encoder.tokenize(TEXTS), [last]).by_layer[last]
    assert found.dtype == np.float32
    assert off(found, exact(folder, encoder)) < 1e-7  # 2 ** -24 of each dim is what float32 can't hold


def test_where_float32_is_further_off(wild_dir: Path) -> None:
    plain, fine = Transformer(wild_dir), Transformer(wild_dir, precision="float64")
    tokens = plain.tokenize(TEXTS)
    wanted = exact(wild_dir, plain)
    distances = [off(e.token_vectors(tokens, [4]).by_layer[4], wanted) for e in (plain, fine)]
    assert distances[1] < distances[0] / 5


def test_pooled_and_of_the_table(tiny_bert_dir: Path) -> None:
    for layers in (-1, 0, (1, 3)):
        a, b = (
            Embedder(Transformer(tiny_bert_dir, precision=precision), layers, weights.Idf()).fit(TEXTS).encode(TEXTS)
            for precision in ("float32", "float64")
        )
        assert b.dtype == np.float32
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_a_recipe_remembers(tiny_bert_dir: Path, tmp_path: Path) -> None:
    Embedder(Transformer(tiny_bert_dir, precision="float64")).save(tmp_path / "recipe")
    assert Embedder.load(tmp_path / "recipe").encoder_.precision == "float64"


def test_it_needs_transformers(tiny_bert_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"pip install 'attar\[models\]'"):
        Embedder(Transformer(tiny_bert_dir, precision="float64")).encode(TEXTS)
