from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline

from attar import Embedder, Random, Transformer, shapers, weights
from attar.encoders.cached import Cached
from attar.errors import InputError, OutputError
from attar.types import Tokens

TEXTS = ["the cat sat", "a dog ran", "seven trees", "", "the cat sat", "music on the river", "blue light", "red light"]
LABELS = [0, 0, 1, 1, 0, 1, 1, 1]


class Counting(Transformer):
    """TextCounts the sequences that pass through the model."""

    passed = 0

    def token_vectors(self, tokens: Tokens, layers: object) -> object:  # type: ignore[override]
        Counting.passed += len(tokens)
        return super().token_vectors(tokens, layers)  # type: ignore[arg-type]


@pytest.fixture
def counted(tiny_bert_dir: Path) -> Counting:
    Counting.passed = 0
    return Counting(tiny_bert_dir)


@pytest.mark.parametrize("layers", ["last", (0, 2), {1: 0.3, 3: -1.0}])
def test_vectors_are_the_same(tiny_bert: Transformer, tmp_path: Path, layers: object) -> None:
    for weighting in (None, weights.Idf(), weights.Debiased()):
        plain = Embedder(tiny_bert, layers, weighting).fit(TEXTS)  # type: ignore[arg-type]
        kept = Embedder(Cached(tiny_bert, tmp_path / "kept"), layers, weighting).fit(TEXTS)  # type: ignore[arg-type]
        for _ in range(2):  # from the encoder, then from disk
            np.testing.assert_allclose(kept.encode(TEXTS), plain.encode(TEXTS), rtol=1e-4, atol=1e-5)


def test_token_vectors_are_the_same(tiny_bert: Transformer, tmp_path: Path) -> None:
    tokens = tiny_bert.tokenize(TEXTS)
    kept = Cached(tiny_bert, tmp_path / "kept").token_vectors(tokens, [1, 3])
    plain = tiny_bert.token_vectors(tokens, [1, 3])
    for layer in (1, 3):
        np.testing.assert_allclose(kept[layer], plain[layer], rtol=1e-4, atol=1e-5)


def test_a_search_passes_each_text_once(counted: Counting, tmp_path: Path) -> None:
    pipeline = Pipeline([("embed", Embedder(Cached(counted, tmp_path / "kept"))), ("classify", LogisticRegression())])
    grid = {
        "embed__layers": ["last", (1, 3)],
        "embed__weights": [weights.Mean(), weights.Idf(), weights.Debiased()],
        "embed__shapers": [(), [shapers.ZScore(), shapers.Unit()]],
    }
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(TEXTS, LABELS)
    assert len(search.cv_results_["params"]) == 12
    assert search.predict(TEXTS).shape == (8,)
    assert Counting.passed == len(set(TEXTS))


def test_another_process_finds_what_is_kept(counted: Counting, tmp_path: Path) -> None:
    """Here: another object on the same folder."""
    for _ in range(3):
        Embedder(Cached(counted, tmp_path / "kept")).encode(TEXTS)
    assert Counting.passed == len(set(TEXTS))


def test_encoders_that_share_a_folder_are_told_apart(tiny_bert_dir: Path, tmp_path: Path) -> None:
    for seed in (0, 1):
        random = Random(tiny_bert_dir, dims=4, seed=seed)
        kept = Embedder(Cached(random, tmp_path / "kept")).encode(TEXTS)
        np.testing.assert_allclose(kept, Embedder(random).encode(TEXTS), rtol=1e-6)


def test_only_the_layers_asked_for_are_kept(tiny_bert: Transformer, tmp_path: Path) -> None:
    kept = Cached(tiny_bert, tmp_path / "kept", layers=(1, 2))
    assert Embedder(kept, (1, 2)).encode(TEXTS).shape == (8, 16)
    with pytest.raises(InputError, match="layer 3 is not kept: this cache keeps 1, 2"):
        Embedder(kept, 3).encode(TEXTS)


def test_a_recipe_knows_nothing_of_the_cache(tiny_bert: Transformer, tmp_path: Path) -> None:
    kept = Embedder(Cached(tiny_bert, tmp_path / "kept"), 1, shapers=[shapers.ZScore()]).fit(TEXTS)
    kept.save(tmp_path / "recipe")
    loaded = Embedder.load(tmp_path / "recipe")
    assert isinstance(loaded.encoder, Transformer)
    np.testing.assert_allclose(loaded.encode(TEXTS), kept.encode(TEXTS), rtol=1e-4, atol=1e-4)


def test_a_folder_that_can_not_be_written(tiny_bert: Transformer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="can't keep vectors in"):
        Embedder(Cached(tiny_bert, tmp_path / "file")).encode(TEXTS)


def test_scikit_learn_without_a_cache(tiny_bert: Transformer) -> None:
    """The pipeline of the docs: cross-validation and cloning."""
    pipeline = make_pipeline(Embedder(tiny_bert, shapers=[shapers.ZScore()]), LogisticRegression())
    assert cross_val_score(pipeline, TEXTS, LABELS, cv=2).shape == (2,)
    copy = clone(pipeline)
    assert copy[0].encoder is tiny_bert
    assert not hasattr(copy[0], "weights_")
