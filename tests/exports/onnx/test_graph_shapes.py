from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.exports.fitted_parts import fold_runs
from attar.exports.onnx.graph_shapes import shape_module
from attar.shapers import Quantile, parse


def shaped(shapers: list[object], vectors: np.ndarray) -> np.ndarray:
    x = torch.from_numpy(vectors).double()
    for step in fold_runs(shapers):
        x = shape_module(step)(x)
    return x.numpy()


@pytest.mark.parametrize("output", ["uniform", "normal"])
@given(seed=st.integers(0, 10**6), n=st.sampled_from([1, 2, 3, 7, 64, 1000]), ties=st.booleans())
@settings(max_examples=12, deadline=None)
def test_quantile_is_the_same(output: str, seed: int, n: int, ties: bool) -> None:
    draw = np.random.default_rng(seed)
    fitted = draw.normal(size=(n, 3))
    fitted = (fitted.round(1) if ties else fitted).astype(np.float32)
    quantile = Quantile(output).fit(fitted)  # type: ignore[arg-type]
    others = draw.normal(0, 2, size=(20, 3))
    seen = np.concatenate([others.round(1) if ties else others, fitted[:10]]).astype(np.float32)
    wanted = quantile.transform(seen.astype(np.float64))
    np.testing.assert_allclose(shaped([quantile], seen), wanted, rtol=1e-6, atol=1e-9)


@given(seed=st.integers(0, 10**6), n=st.sampled_from([4, 30, 200]))
@settings(max_examples=12, deadline=None)
def test_noise_does_not_matter_at_the_jumps_of_quantiles(seed: int, n: int) -> None:
    """Fitted texts that stand there several times are found again, whatever their last bits are."""
    draw = np.random.default_rng(seed)
    fitted = draw.normal(size=(n, 5)).round(2).astype(np.float32)[draw.integers(0, n // 2, n)]  # none nearly the same
    quantile = Quantile("normal").fit(fitted)
    noisy = fitted.astype(np.float64) * (1 + draw.uniform(-1e-7, 1e-7, fitted.shape))
    np.testing.assert_allclose(shaped([quantile], noisy), quantile.transform(fitted), atol=1e-4)


def test_quantile_by_hand() -> None:
    """Fitted on 0, 1, 1, 1, 5, whose quantiles lie at 0, 1/4 ... 1: the jump at 1 goes from 1/4 to 3/4."""
    quantile = Quantile().fit(np.array([[0.0], [1.0], [1.0], [1.0], [5.0]]))
    found = shaped([quantile], np.array([[0.5], [1.0], [3.0], [-1.0], [9.0]]))
    np.testing.assert_allclose(found[:, 0], [1 / 8, 1 / 2, 7 / 8, 0, 1])


@pytest.mark.parametrize("chain", ["center", "zscore,abtt:2,whiten:3", "unit", "robust,unit,center,quantile,whiten:2"])
def test_chains_are_the_same(chain: str) -> None:
    vectors = np.random.default_rng(0).normal(2, 3, size=(50, 5))
    wanted = vectors
    shapers = parse(chain)
    for shaper in shapers:
        wanted = shaper.fit_transform(wanted)
    np.testing.assert_allclose(shaped(shapers, vectors), wanted, rtol=1e-6, atol=1e-9)


def test_runs_of_affine_shapers_fold() -> None:
    vectors = np.random.default_rng(0).normal(size=(20, 4))
    shapers = [s.fit(vectors) for s in parse("center,zscore,whiten,unit,unit,center")]
    assert [type(step).__name__ for step in fold_runs(shapers)] == ["Affine", "Unit", "Unit", "Affine"]


def test_a_zero_vector_stays_zero() -> None:
    assert shaped(parse("unit"), np.zeros((1, 3))).tolist() == [[0, 0, 0]]
