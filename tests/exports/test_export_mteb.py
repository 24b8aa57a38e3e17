from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from export_cases import made_sentences

from attar import Embedder, Transformer, shapers, tasks, weights
from attar.errors import NotFittedError

mteb = pytest.importorskip("mteb")
FIT = made_sentences(60, seed=1)


@pytest.fixture(scope="module")
def fitted(tiny_bert_dir: Path) -> Embedder:
    return Embedder(Transformer(tiny_bert_dir), (1, 3), weights.Idf(), shapers.parse("zscore,unit")).fit(FIT)


def test_it_is_an_encoder_of_mteb(fitted: Embedder, tmp_path: Path) -> None:
    from mteb.models.models_protocols import EncoderProtocol

    from attar.exports.mteb import Model

    model = Model(fitted)
    assert isinstance(model, EncoderProtocol)
    batches = [{"text": FIT[:5]}, {"text": FIT[5:8]}]
    found = model.encode(batches, task_metadata=None, hf_split="test", hf_subset="default", batch_size=5)
    np.testing.assert_array_equal(found, fitted.encode(FIT[:8]))
    fitted.save(tmp_path / "recipe")
    again = Model(tmp_path / "recipe")
    assert again.mteb_model_meta.name == model.mteb_model_meta.name
    np.testing.assert_allclose(
        again.encode(batches, task_metadata=None, hf_split="test", hf_subset="default"), found, atol=1e-5
    )


def test_metadata(fitted: Embedder) -> None:
    from attar.exports.mteb import Model

    meta = Model(fitted).mteb_model_meta
    assert meta.name == f"attar/tiny-bert-{fitted.recipe.id}"
    assert meta.revision.startswith(fitted.recipe.id + "-")
    assert (meta.embed_dim, meta.max_tokens, meta.license) == (16, 64, None)
    arrays = safetensors.numpy.load_file(fitted.encoder_.folder / "model.safetensors")  # type: ignore[attr-defined]
    assert meta.n_parameters == sum(array.size for array in arrays.values())
    real = Model(Embedder()).mteb_model_meta
    assert (real.license, real.embed_dim, real.max_tokens) == ("apache-2.0", 384, 256)
    assert real.adapted_from == "sentence-transformers/all-MiniLM-L6-v2"


def test_similarities() -> None:
    from attar.exports.mteb import Model

    model = Model(Embedder(shapers=[shapers.Unit()]))
    a, b = np.array([[1.0, 0], [3, 4]]), np.array([[0.0, 2], [3, 4]])
    np.testing.assert_allclose(model.similarity(a, b), [[0, 0.6], [0.8, 1]], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(model.similarity_pairwise(a, b), [0, 1], rtol=1e-6)


def test_a_real_task_runs_offline(data_dir: Path) -> None:
    """STS-B by mteb's own evaluation, on the pairs of the local file; the score equals scipy's on our cosines."""
    import datasets
    from scipy.stats import spearmanr

    from attar.exports.mteb import Model

    pairs = tasks.load("STS-B", data_dir, split="test")
    n = 300
    left, right, gold = list(pairs.left[:n]), list(pairs.right[:n]), [float(s) for s in pairs.scores[:n]]
    task = mteb.get_task("STSBenchmark", eval_splits=["test"])
    task.dataset = datasets.DatasetDict(
        test=datasets.Dataset.from_dict({"sentence1": left, "sentence2": right, "score": gold})
    )
    task.data_loaded = True
    model = Model(Embedder(shapers=[shapers.ZScore()]).fit([*left, *right]))
    result = mteb.evaluate(model, task, cache=None, show_progress_bar=False)
    score = result.task_results[0].scores["test"][0]["cosine_spearman"]
    ours = model.similarity_pairwise(model.embedder.encode(left), model.embedder.encode(right))
    assert score == pytest.approx(spearmanr(ours, gold).statistic, abs=1e-3)
    assert score > 0.7


def test_an_unfitted_recipe_is_refused() -> None:
    from attar.exports.mteb import Model

    with pytest.raises(NotFittedError, match="must see texts first"):
        Model(Embedder(shapers=[shapers.ZScore()]))
