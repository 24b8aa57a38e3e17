"""What holds for every shaper: scikit-learn's own checks, types, saved state, errors."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from attar.errors import InputError, NotFittedError, RecipeError
from attar.shapers import (
    MEMBERS,
    AffineShaper,
    AllButTheTop,
    Center,
    Quantile,
    Robust,
    Shaper,
    Unit,
    Whiten,
    ZScore,
    parse,
)
from attar.shapers.chain import learns

CONFIGS = [
    Center(),
    ZScore(),
    ZScore(on="background"),
    Robust(),
    Quantile(),
    Quantile(output="normal"),
    Whiten(),
    Whiten(n_components=1),
    AllButTheTop(),
    AllButTheTop(n=0),
    AllButTheTop(n=1, on="background"),
    Unit(),
]
CONFIGS += [new for new in parse(",".join(MEMBERS)) if new.name not in {c.name for c in CONFIGS}]
LEARNING = [c for c in CONFIGS if learns(c)]
every = pytest.mark.parametrize("shaper", CONFIGS, ids=lambda s: s.name)
every_learning = pytest.mark.parametrize("shaper", LEARNING, ids=lambda s: s.name)


def vectors(n: int = 60, d: int = 5, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + rng.standard_normal(d)


@parametrize_with_checks(CONFIGS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@every
def test_float_type_is_kept_and_values_agree(shaper: Shaper):
    x = vectors()
    double = clone(shaper).fit_transform(x)
    single = clone(shaper).fit_transform(x.astype(np.float32))
    assert double.dtype == np.float64
    assert single.dtype == np.float32
    # the inputs differ by up to 1e-7 of their size, and quantiles near the ends turn that into more
    np.testing.assert_allclose(single, double, atol=1e-4)


@every
def test_input_is_left_alone(shaper: Shaper):
    x = vectors().astype(np.float32)
    before = x.copy()
    clone(shaper).fit(x).transform(x)
    np.testing.assert_array_equal(x, before)


@every
def test_state_round_trip_is_bit_identical(shaper: Shaper):
    fitted = clone(shaper).fit(vectors())
    params = json.loads(json.dumps(fitted.get_params()))
    state = {name: array.copy() for name, array in fitted.state().items()}
    again = type(shaper)(**params).set_state(state)
    fresh = vectors(seed=1).astype(np.float32)
    np.testing.assert_array_equal(again.transform(fresh), fitted.transform(fresh))
    assert again.name == fitted.name
    assert parse(fitted.name)[0].get_params() == fitted.get_params()


@every_learning
def test_saved_width_is_checked(shaper: Shaper):
    loaded = clone(shaper).set_state(clone(shaper).fit(vectors()).state())
    with pytest.raises(InputError, match=r"7 features.*5 features"):
        loaded.transform(vectors(d=7))


@every_learning
def test_unfitted_says_what_to_do(shaper: Shaper):
    new = clone(shaper)
    for call in (lambda: new.transform(vectors()), new.state):
        with pytest.raises(NotFittedError, match=rf"this {type(shaper).__name__} has not learned .* call fit\(X\)"):
            call()


@every
def test_wrong_width_shows_both_numbers(shaper: Shaper):
    with pytest.raises(InputError, match=r"7 features.*5 features"):
        clone(shaper).fit(vectors()).transform(vectors(d=7))


@every
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(shaper: Shaper, bad: float):
    x = vectors()
    x[3, 2] = bad
    with pytest.raises(InputError, match=r"NaN|infinity"):
        clone(shaper).fit(x)
    with pytest.raises(InputError, match=r"NaN|infinity"):
        clone(shaper).fit(vectors()).transform(x)


@every
def test_no_texts_give_no_vectors(shaper: Shaper):
    fitted = clone(shaper).fit(vectors().astype(np.float32))
    width = fitted.transform(vectors()).shape[1]
    out = fitted.transform(np.empty((0, 5), dtype=np.float32))
    assert out.shape == (0, width)
    assert out.dtype == np.float32


@every
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_texts_with_a_constant_column_stay_finite(shaper: Shaper, n: int):
    x = vectors(n=n)
    x[:, 1] = 0.1
    fitted = clone(shaper).fit(x)
    assert np.isfinite(fitted.transform(x)).all()
    assert np.isfinite(fitted.transform(vectors(seed=1))).all()


@every
def test_unknown_texts_to_fit_on(shaper: Shaper):
    with pytest.raises(InputError, match=r"unknown texts to fit on 'backgroud'.*did you mean 'background'"):
        clone(shaper).set_params(on="backgroud").fit(vectors())


@every
def test_named_columns_come_out_named(shaper: Shaper):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(vectors(), columns=list("abcde"))
    out = clone(shaper).set_output(transform="pandas").fit_transform(frame)
    expected = [f"whiten{i}" for i in range(out.shape[1])] if isinstance(shaper, Whiten) else list("abcde")
    assert list(out.columns) == expected


def _damaged(state: dict[str, np.ndarray]) -> list[tuple[dict[str, np.ndarray], str]]:
    name, array = next(iter(state.items()))
    broken = array.copy()
    broken.flat[0] = np.nan
    return [
        ({}, "must have"),
        ({**state, "extra": array}, "'extra'"),
        ({**state, name: array.astype(np.float32)}, "float32"),
        ({**state, name: array[..., None]}, "of shape"),
        ({**state, name: array[:0]}, "not empty"),
        ({**state, name: broken}, "1 values that are not finite"),
    ]


@every_learning
def test_damaged_state_is_refused(shaper: Shaper):
    fitted = clone(shaper).fit(vectors())
    before = fitted.transform(vectors())
    for state, message in _damaged(fitted.state()):
        with pytest.raises(RecipeError, match=message):
            fitted.set_state(state)
    if isinstance(shaper, AffineShaper):
        with pytest.raises(RecipeError, match="do not fit together"):
            fitted.set_state({**fitted.state(), "offset": np.zeros(9)})
    np.testing.assert_array_equal(fitted.transform(vectors()), before)  # a refused state changes nothing


def test_unit_has_no_state_to_give_or_take():
    assert Unit().state() == {}
    with pytest.raises(RecipeError, match=r"\['scale'\]"):
        Unit().set_state({"scale": np.ones(2)})
