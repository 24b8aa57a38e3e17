from __future__ import annotations

import pytest

from attar.errors import InputError
from attar.shapers import NAMES, AllButTheTop, Center, Quantile, Robust, Unit, Whiten, ZScore, parse


def test_all_names():
    shapers = parse("center,zscore,robust,quantile,quantile-normal,whiten,abtt,unit")
    assert [type(s) for s in shapers] == [Center, ZScore, Robust, Quantile, Quantile, Whiten, AllButTheTop, Unit]
    assert [s.output for s in shapers[3:5]] == ["uniform", "normal"]
    assert shapers[6].n == 2
    assert {s.name.partition(":")[0] for s in shapers} == set(NAMES)


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
        ("zscore:3", "'zscore:3': zscore takes no number; only whiten, abtt do"),
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
