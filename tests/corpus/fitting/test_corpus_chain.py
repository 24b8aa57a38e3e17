"""Chains of shapers learn from moments and samples what they would learn from all vectors."""

from __future__ import annotations

import numpy as np
import pytest

from attar import shapers
from attar.corpus.fitting.chain import Needs
from attar.shapers import Moments
from attar.shapers.chain import Evidence, fit_chain


def vectors(n: int = 400, d: int = 5) -> np.ndarray:
    rng = np.random.default_rng(3)
    return (rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + rng.standard_normal(d)).astype(np.float32)


def whole(chain: str, x: np.ndarray) -> np.ndarray:
    for shaper in shapers.parse(chain):
        x = shaper.fit(x).transform(x)
    return x


@pytest.mark.parametrize(
    "chain",
    ["zscore,unit", "center,whiten", "zscore,abtt:2,whiten:3", "robust,whiten", "quantile,zscore", "whiten,quantile"],
)
def test_the_same_as_fitting_on_all_vectors(chain: str) -> None:
    x = vectors()
    made = shapers.parse(chain)
    fit_chain(made, {"target": Evidence(x, moments=Moments.of(x))})
    shaped = x
    for shaper in made:
        shaped = shaper.transform(shaped)
    off = np.abs(shaped - whole(chain, x))
    assert np.mean(off > 2e-4) <= 0.005
    assert off.max() <= (2e-4 if not chain.endswith(",quantile") else 1.01 / (len(x) - 1))  # one knot: ties of rounding


def test_each_shaper_learns_from_its_corpus() -> None:
    x, y = vectors(), vectors(100) + 7
    made = shapers.parse("center@background,zscore")
    fit_chain(made, {"target": Evidence(moments=Moments.of(x)), "background": Evidence(moments=Moments.of(y))})
    expected = shapers.ZScore().fit(x - y.mean(axis=0))
    np.testing.assert_allclose(made[1].affine().offset, expected.affine().offset, atol=1e-5)


@pytest.mark.parametrize(
    ("chain", "moments", "samples", "scatter"),
    [
        ("unit", set(), set(), "none"),
        ("zscore,unit", {"target"}, set(), "diagonal"),
        ("zscore,whiten", {"target"}, set(), "full"),
        ("quantile", set(), {"target"}, "none"),
        ("unit,zscore", set(), {"target"}, "none"),  # moments do not survive the unit norm
        ("robust,zscore", {"target"}, {"target"}, "diagonal"),
    ],
)
def test_needs(chain: str, moments: set[str], samples: set[str], scatter: str) -> None:
    needs = Needs.of(shapers.parse(chain))
    assert (needs.moments, needs.samples, needs.scatter_of("target")) == (moments, samples, scatter)
