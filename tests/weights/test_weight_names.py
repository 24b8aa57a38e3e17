"""The names of the command line."""

from __future__ import annotations

import pytest
from sklearn.base import clone

from attar import weights
from attar.errors import InputError
from attar.weights import Debiased, First, Idf, Last, Mask, Mean, Sif


@pytest.mark.parametrize(
    ("spec", "kind", "settings"),
    [
        ("mean", Mean, {"specials": False, "masks": True}),
        ("mean+specials", Mean, {"specials": True}),
        ("mean-without-masks", Mean, {"masks": False, "template": True}),
        ("idf", Idf, {"on": "target"}),
        ("idf@background", Idf, {"on": "background"}),
        ("idf+specials@background", Idf, {"on": "background", "specials": True}),
        ("debiased", Debiased, {"frequent": True, "subwords": True, "punctuation": True}),
        ("mask", Mask, {}),
        ("first", First, {"specials": True}),
        ("last", Last, {"specials": True}),
        ("sif@background", Sif, {"on": "background", "a": 1e-3}),
    ],
)
def test_names_are_read(spec, kind, settings):
    weighting = weights.parse(spec)
    assert type(weighting) is kind
    assert settings.items() <= weighting.get_params().items()


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("", "unknown weights ''"),
        ("iddf", "did you mean 'idf'"),
        ("idf@home", "can't read the weights 'idf@home'"),
        ("mean+masks", "can't read the weights"),
        ("mean@background", "no choice of on"),
        ("mask+specials", "no choice of specials"),
    ],
)
def test_other_names_are_refused(spec, told):
    with pytest.raises(InputError, match=told):
        weights.parse(spec)


@pytest.mark.parametrize("name", weights.NAMES)
def test_each_is_a_weighting_that_can_be_cloned(name):
    weighting = weights.NAMES[name]()
    assert isinstance(weighting, weights.Weighting)
    assert clone(weighting).get_params() == weighting.get_params()
    assert weights.CLASSES[type(weighting).__name__] is type(weighting)
