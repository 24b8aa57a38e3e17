"""Fitting in shards learns what fitting in memory learns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from corpora import sentences, text_file
from inline_executor import Inline

from attar import Embedder, Transformer, shapers, weights
from attar.commands.info import info
from attar.corpus import fit_corpus
from attar.errors import DataError, InputError, OutputError


def made(encoder: Transformer, shape: str, weighting: str = "mean") -> Embedder:
    return Embedder(encoder, (1, 3), weights.parse(weighting), shapers.parse(shape))


def fit(embedder: Embedder, texts: Path, out: Path, executor: Any = None, **choices: Any) -> Embedder:
    return fit_corpus(embedder, [str(texts)], out, executor or Inline(), progress=False, **choices)


@pytest.mark.parametrize(
    ("shape", "weighting"),
    [
        ("zscore,unit", "idf"),
        ("whiten", "sif"),
        ("abtt:2", "debiased"),
        ("quantile,unit", "mean"),
        ("", "idf"),
        ("unit", "mean"),
    ],
)
def test_the_same_as_in_memory(tiny_bert: Transformer, tmp_path: Path, shape: str, weighting: str) -> None:
    texts = sentences(150)
    found = fit(made(tiny_bert, shape, weighting), text_file(tmp_path / "a.txt", 150), tmp_path / "out", shards=4)
    expected = made(tiny_bert, shape, weighting).fit(texts)
    for name, counts in expected.weights_.state().items():
        np.testing.assert_array_equal(found.weights_.state()[name], counts)
    ranks = 5 / 149 if "quantile" in shape else 0  # the last bits may move a value past those next to it
    np.testing.assert_allclose(found.encode(texts), expected.encode(texts), atol=max(5e-3, ranks))
    loaded = Embedder.load(tmp_path / "out")
    np.testing.assert_array_equal(loaded.encode(texts[:5]), found.encode(texts[:5]))
    assert loaded.fitted_on_.target is not None
    assert loaded.fitted_on_.target.texts == 150
    assert not list(tmp_path.glob(".*"))


def test_covariances_of_shifted_vectors_stay_sound(tiny_bert: Transformer, tmp_path: Path) -> None:
    texts = text_file(tmp_path / "a.txt", 300)
    one, many = (
        fit(made(tiny_bert, "whiten"), texts, tmp_path / f"out{n}", shards=n).shapers_[0].moments_ for n in (1, 9)
    )
    assert one.n == many.n == 300
    np.testing.assert_allclose(many.scatter, one.scatter, rtol=1e-6, atol=1e-4)
    assert np.linalg.eigvalsh(many.covariance()).min() > -1e-9


def test_background_and_target(tiny_bert: Transformer, tmp_path: Path) -> None:
    texts, wiki = text_file(tmp_path / "a.txt", 60), text_file(tmp_path / "b.txt", 90, seed=1)
    embedder = made(tiny_bert, "center@background,zscore", "idf@background")
    found = fit(embedder, texts, tmp_path / "out", background=[str(wiki)], shards=3)
    expected = made(tiny_bert, "center@background,zscore", "idf@background")
    expected.fit(sentences(60), background=sentences(90, 1))
    np.testing.assert_allclose(found.encode(sentences(9)), expected.encode(sentences(9)), atol=1e-4)
    with pytest.raises(InputError, match="background corpus"):
        fit(made(tiny_bert, "zscore@background"), texts, tmp_path / "other")


def test_the_error_of_a_sample_is_recorded(tiny_bert: Transformer, tmp_path: Path) -> None:
    texts = text_file(tmp_path / "a.txt", 400)
    results = []
    for shards in (3, 7):
        out = tmp_path / f"out{shards}"
        results.append(fit(made(tiny_bert, "quantile"), texts, out, shards=shards, sample=100).shapers_[0].quantiles_)
        target = Embedder.load(out).fitted_on_.target
        assert target is not None
        assert target.sampled is not None
        assert (target.sampled.how, target.sampled.rows, target.sampled.of) == ("bottom-k", 100, 400)
        assert target.sampled.rank_error == pytest.approx(np.sqrt(np.log(200) / 200), abs=1e-6)
        shown = CliRunner().invoke(info, [str(out), "--json"])
        assert json.loads(shown.stdout)["quantiles estimated"]["target"]["rows"] == 100
    np.testing.assert_allclose(*results, atol=1e-5)  # the sample does not depend on the shards
    assert results[0].shape == (16, 100)
    whole = fit(made(tiny_bert, "quantile"), texts, tmp_path / "whole", shards=3, sample=400)
    assert whole.fitted_on_.target is not None
    assert whole.fitted_on_.target.sampled is None


def test_a_stopped_fit_goes_on(tiny_bert: Transformer, tmp_path: Path) -> None:
    texts = text_file(tmp_path / "a.txt", 60)
    with pytest.raises(DataError, match="1 of 3 shards failed"):
        fit(made(tiny_bert, "zscore", "idf"), texts, tmp_path / "out", Inline(fail={"part-00002"}), shards=3)
    again = Inline()
    found = fit(made(tiny_bert, "zscore", "idf"), texts, tmp_path / "out", again, shards=3)
    assert [unit.name for unit in again.seen] == ["part-00002", "part-00000", "part-00001", "part-00002"]
    whole = fit(made(tiny_bert, "zscore", "idf"), texts, tmp_path / "whole", shards=3)
    np.testing.assert_array_equal(found.shapers_[0].affine().offset, whole.shapers_[0].affine().offset)


def test_a_changed_corpus_is_noticed(tiny_bert: Transformer, tmp_path: Path) -> None:
    texts = text_file(tmp_path / "a.txt", 60)
    with pytest.raises(DataError):
        fit(made(tiny_bert, "zscore"), texts, tmp_path / "out", Inline(fail={"part-00002"}), shards=3)
    text_file(texts, 60, seed=9)
    with pytest.raises(OutputError, match="begun with different input"):
        fit(made(tiny_bert, "zscore"), texts, tmp_path / "out", shards=3)
    fit(made(tiny_bert, "zscore"), texts, tmp_path / "out", shards=3, overwrite=True)
    with pytest.raises(OutputError, match="it exists"):
        fit(made(tiny_bert, "zscore"), texts, tmp_path / "out", shards=3)
