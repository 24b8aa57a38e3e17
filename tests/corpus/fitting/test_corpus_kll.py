"""Sketches give the quantiles of all vectors, as near as they say."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from corpora import text_file
from inline_executor import Inline

from attar import Embedder, Transformer, shapers
from attar.corpus import fit_corpus
from attar.corpus.fitting.kll import LEVELS, Kll
from attar.errors import InputError, MissingExtra

pytest.importorskip("datasketches", reason="datasketches is not installed: pip install 'attar[kll]'")


def test_merged_sketches_against_exact_ranks() -> None:
    vectors = np.random.default_rng(0).gamma(2.0, size=(60_000, 3)).astype(np.float32)
    parts = []
    for shard in np.split(vectors, [10_000, 11_000, 40_000]):
        sketches = Kll.empty(3)
        sketches.add(shard[:500])
        sketches.add(shard[500:])
        parts.append(sketches.to_arrays())
    merged = Kll.merged(parts)
    values, error = merged.levels(), merged.account(60_000).rank_error
    assert values.shape == (LEVELS, 3)
    for dim in range(3):
        ranks = np.searchsorted(np.sort(vectors[:, dim]), values[:, dim]) / 60_000
        # The bound is for 99 of 100 runs; twice as much is out of reach.
        assert np.abs(ranks - np.linspace(0, 1, LEVELS)).max() < 2 * error
    np.testing.assert_array_equal(values[[0, -1]], [vectors.min(axis=0), vectors.max(axis=0)])
    assert error == pytest.approx(0.0035, abs=1e-4)


def test_few_vectors_are_kept_as_they_are() -> None:
    sketches = Kll.empty(1)
    sketches.add(np.array([[3.0], [1.0], [2.0], [4.0], [5.0]], dtype=np.float32))
    np.testing.assert_array_equal(np.unique(Kll.merged([sketches.to_arrays()]).levels()), [1, 2, 3, 4, 5])


def test_fit(tiny_bert: Transformer, tmp_path: Path) -> None:
    texts = [str(text_file(tmp_path / "a.txt", 400))]
    made = {
        way: fit_corpus(
            Embedder(tiny_bert, (1, 3), shapers=shapers.parse("zscore,quantile,unit")),
            texts,
            tmp_path / way,
            Inline(),
            quantiles=way,
            shards=3,
            progress=False,
        )
        for way in ("sample", "kll")
    }
    exact, found = (made[way].shapers_[1].quantiles_ for way in ("sample", "kll"))  # (16, 400), (16, 1000)
    ranks = np.array([np.searchsorted(one, other) / 400 for one, other in zip(exact, found, strict=True)])
    assert np.abs(ranks - np.linspace(0, 1, 1000)).max() < 0.02
    target = Embedder.load(tmp_path / "kll").fitted_on_.target
    assert target is not None
    assert target.sampled is not None
    assert (target.sampled.how, target.sampled.rows) == ("kll, k=800", 400)


def test_chains_that_mix_dims_before_quantiles_are_refused(tiny_bert: Transformer, tmp_path: Path) -> None:
    embedder = Embedder(tiny_bert, shapers=shapers.parse("whiten,quantile"))
    with pytest.raises(InputError, match="can't fit Quantile in"):
        fit_corpus(embedder, [str(text_file(tmp_path / "a.txt", 9))], tmp_path / "out", Inline(), quantiles="kll")


def test_the_error_names_the_pip_line(tiny_bert: Transformer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasketches", None)
    embedder, inline = Embedder(tiny_bert, shapers=shapers.parse("quantile")), Inline()
    with pytest.raises(MissingExtra, match=r"pip install 'attar\[kll\]'"):
        fit_corpus(embedder, [str(text_file(tmp_path / "a.txt", 9))], tmp_path / "out", inline, quantiles="kll")
    assert not inline.seen
