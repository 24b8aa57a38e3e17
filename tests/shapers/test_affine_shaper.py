from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from attar.errors import InputError, NotFittedError, RecipeError
from attar.shapers import (
    AllButTheTop,
    Center,
    Moments,
    MomentShaper,
    Quantile,
    Robust,
    Unit,
    Whiten,
    ZScore,
    fold,
    parse,
)

FROM_MOMENTS = [Center(), ZScore(), Whiten(), Whiten(n_components=3), AllButTheTop(), AllButTheTop(n=1)]
every = pytest.mark.parametrize("shaper", FROM_MOMENTS, ids=lambda s: s.name)


def vectors(n: int = 200, d: int = 6, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + rng.standard_normal(d)


@every
def test_moments_give_the_state_that_vectors_give(shaper: MomentShaper):
    x = vectors()
    fitted, from_moments = clone(shaper).fit(x), clone(shaper).fit_moments(Moments.of(x))
    for name, array in fitted.state().items():
        np.testing.assert_allclose(from_moments.state()[name], array, rtol=1e-10, atol=1e-12)
    assert from_moments.n_features_in_ == 6


@every
def test_partial_fits_add_up(shaper: MomentShaper):
    x = vectors()
    whole, grown = clone(shaper).fit(x), clone(shaper)
    for batch in np.split(x, [1, 10, 150]):
        grown.partial_fit(batch)
    np.testing.assert_allclose(grown.transform(x), whole.transform(x), atol=1e-9)
    np.testing.assert_allclose(
        clone(shaper).fit(x[:90]).partial_fit(x[90:]).transform(x), whole.transform(x), atol=1e-9
    )
    # fit starts anew
    np.testing.assert_array_equal(grown.fit(x).transform(x), whole.transform(x))


@every
def test_fit_moments_then_partial_fit_continues(shaper: MomentShaper):
    x = vectors()
    continued = clone(shaper).fit_moments(Moments.of(x[:50])).partial_fit(x[50:])
    np.testing.assert_allclose(continued.transform(x), clone(shaper).fit(x).transform(x), atol=1e-9)


@every
def test_saved_state_can_not_be_added_to(shaper: MomentShaper):
    loaded = clone(shaper).set_state(clone(shaper).fit(vectors()).state())
    with pytest.raises(InputError, match="no moments to add to"):
        loaded.partial_fit(vectors())
    loaded.fit(vectors(seed=1)).partial_fit(vectors())  # fitted anew, it can


def test_a_chain_is_fitted_from_moments_alone():
    x = vectors()
    chain, reference = parse("zscore,abtt:1,center,whiten:2"), x
    moments = Moments.of(x)
    for shaper in chain:
        assert isinstance(shaper, MomentShaper)
        affine = shaper.fit_moments(moments).affine()
        moments = moments.affine(affine.linear, affine.offset)
        reference = clone(shaper).fit_transform(reference)
    np.testing.assert_allclose(fold(chain).apply(x), reference, atol=1e-9)


def test_fold_equals_the_chain():
    x, out = vectors(), vectors()
    chain = parse("center,robust,zscore,whiten:4,abtt:1,center")
    for shaper in chain:
        out = shaper.fit_transform(out)
    folded = fold(chain)
    assert folded.dense().shape == (6, 4)
    np.testing.assert_allclose(folded.apply(x), out, atol=1e-9)
    assert fold(chain[:3]).matrix is None  # diagonal maps stay diagonal


def test_fold_names_what_does_not_fold():
    x = vectors()
    chain = [ZScore().fit(x), Quantile("normal", on="background").fit(x), Unit()]
    with pytest.raises(InputError, match="'quantile-normal@background' is not affine"):
        fold(chain)
    with pytest.raises(InputError, match="'unit' is not affine"):
        fold([Unit()])
    with pytest.raises(InputError, match="no shapers"):
        fold([])
    with pytest.raises(NotFittedError):
        fold([ZScore()])


def test_robust_needs_the_vectors():
    assert not hasattr(Robust(), "fit_moments")
    assert not hasattr(Robust(), "partial_fit")


def test_no_moments_are_refused():
    with pytest.raises(InputError, match="0 vectors"):
        ZScore().fit_moments(Moments.of(np.empty((0, 3))))
    with pytest.raises(InputError, match="keep only variances"):
        Whiten().fit_moments(Moments.of(vectors(), diagonal=True))


@pytest.mark.filterwarnings("ignore:overflow")
def test_squares_beyond_float64_are_refused():
    with pytest.raises(InputError, match="too large for float64"):
        Whiten().fit(1e200 * vectors())


def test_a_failed_fit_is_not_a_fit():
    shaper = Whiten(n_components=9)
    with pytest.raises(InputError, match=r"n_components=9 .* n_features=6"):
        shaper.fit(vectors())
    with pytest.raises(NotFittedError):
        shaper.transform(vectors())


def test_saved_shape_must_be_what_the_parameters_ask():
    state = Whiten(n_components=3).fit(vectors()).state()
    with pytest.raises(RecipeError, match="'whiten:2' gives 3 dims from 6; it must give 2"):
        Whiten(n_components=2).set_state(state)
    with pytest.raises(RecipeError, match="'abtt:2' gives 3 dims from 6; it must give 6"):
        AllButTheTop().set_state(state)
