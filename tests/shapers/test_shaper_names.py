from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from attar.errors import InputError
from attar.shapers import MEMBERS, AllButTheTop, Center, Quantile, Robust, Shaper, Unit, Whiten, ZScore, of, parse


def test_all_names():
    shapers = parse("center,zscore,robust,quantile,quantile-normal,whiten,abtt,unit")
    assert [type(s) for s in shapers] == [Center, ZScore, Robust, Quantile, Quantile, Whiten, AllButTheTop, Unit]
    assert [s.output for s in shapers[3:5]] == ["uniform", "normal"]
    assert shapers[6].n == 2
    assert {s.name.partition(":")[0] for s in shapers} <= set(MEMBERS)


@pytest.mark.parametrize("name", MEMBERS)
def test_each_name_makes_its_class_and_says_what_it_does(name: str):
    (shaper,) = parse(name)
    assert type(shaper) is MEMBERS[name].make
    assert shaper.name.partition(":")[0] == name
    assert MEMBERS[name].help


@pytest.mark.parametrize(
    "spec",
    [
        "center",
        "abtt:3",
        "abtt:0",
        "whiten",
        "whiten:128",
        "quantile-normal",
        "zscore@background",
        "abtt:2@background,unit",
    ],
)
def test_names_round_trip(spec: str):
    assert ",".join(s.name for s in parse(spec)) == spec


def test_short_forms_and_spaces():
    assert [s.name for s in parse(" abtt , zscore@target ")] == ["abtt:2", "zscore"]


@pytest.mark.parametrize("spec", ["", "none", " none "])
def test_none(spec: str):
    assert parse(spec) == []


def test_each_parse_makes_new_objects():
    assert parse("zscore")[0] is not parse("zscore")[0]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("zscroe", "unknown shaper 'zscroe' .did you mean 'zscore'.*allowed: center, zscore, robust"),
        ("zscore,,unit", "unknown shaper ''"),
        ("none,unit", "unknown shaper 'none'"),
        ("zscore:3", "'zscore:3': zscore takes no number; only whiten, abtt, common, piecewise, conceptor do"),
        ("abtt:", "'abtt:': '' is not a whole number"),
        ("abtt:two", "'two' is not a whole number"),
        ("abtt:-1", "'-1' is not a whole number"),
        ("whiten:0", "n_components=0 is not allowed"),
        ("zscore@wiki", "unknown texts to fit 'zscore' on 'wiki'; allowed: target, background"),
        ("zscore@", "unknown texts to fit 'zscore' on ''"),
    ],
)
def test_mistakes_are_explained(spec: str, message: str):
    with pytest.raises(InputError, match=message):
        parse(spec)


@st.composite
def any_shaper(draw):
    made = draw(st.sampled_from([Center(), ZScore(), Robust(), Unit(), Quantile(), Whiten(), AllButTheTop()]))
    values = {
        "on": st.sampled_from(["target", "background"]),
        "output": st.sampled_from(["uniform", "normal"]),
        "n": st.integers(0, 999),
        "n_components": st.none() | st.integers(1, 999),
    }
    return clone(made).set_params(**{key: draw(values[key]) for key in made.get_params()})


@given(any_shaper())
def test_the_name_of_any_shaper_parses_back(shaper: Shaper):
    (again,) = parse(shaper.name)
    assert type(again) is type(shaper)
    assert again.get_params() == shaper.get_params()
    assert again.name == shaper.name


def test_what_a_caller_may_give():
    mine = ZScore()
    assert of([mine, "unit"])[0] is mine
    assert [s.name for s in of([mine, "abtt:1,unit"])] == ["zscore", "abtt:1", "unit"]
    assert [s.name for s in of("zscore,unit")] == ["zscore", "unit"]
    assert of("") == of(()) == []
    for wrong, told in ((5, "shapers=5 is not a list"), ([5], "5 is not a shaper"), (["zscor"], "did you mean")):
        with pytest.raises(InputError, match=told):
            of(wrong)


@pytest.mark.parametrize("name", MEMBERS)
def test_which_look_at_each_dim_by_itself(name: str):
    x = np.random.default_rng(0).standard_normal((40, 3)) @ np.array([[1, 0.5, 0], [0, 2, 0], [0, 0.3, 1]]) + 0.7
    (together,) = parse(name)
    (alone,) = parse(name)
    by_itself = np.allclose(together.fit_transform(x)[:, :2], alone.fit_transform(x[:, :2]))
    assert by_itself == together.per_dim
