"""The names of the command line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from attar import weights
from attar.errors import InputError
from attar.types import Tokens, Vocabulary
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
        ("sif:0.001", Sif, {"a": 1e-3}),
        ("sif:1e-05+no-masks", Sif, {"a": 1e-5, "masks": False, "specials": False}),
        ("debiased+no-frequent", Debiased, {"frequent": False, "subwords": True}),
        ("first+no-specials", First, {"specials": False}),
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
        ("idf@home", "unknown texts to fit 'idf' on 'home'; allowed: target, background"),
        ("idf@", "unknown texts to fit 'idf' on ''"),
        ("mean+colour", r"'mean\+colour': there is no choice of 'colour'; allowed: \+specials or \+no-specials"),
        ("mean@background", "no choice of on"),
        ("mask+specials", "no choice of 'specials'; allowed: none"),
        ("idf:2", "weights 'idf:2': idf takes no number; only sif, usif do"),
        ("sif:much", "'much' is not a number; write sif:0.01"),
        ("sif:-1", "a=-1.0 of Sif is not a number above 0"),
        ("sif:nan", "a=nan of Sif"),
    ],
)
def test_other_names_are_refused(spec, told):
    with pytest.raises(InputError, match=told):
        weights.parse(spec)


@pytest.mark.parametrize("name", weights.MEMBERS)
def test_each_is_a_weighting_that_can_be_cloned(name):
    weighting = weights.parse(name)
    assert isinstance(weighting, weights.Weighting)
    assert clone(weighting).get_params() == weighting.get_params()
    assert weights.CLASSES[type(weighting).__name__] is type(weighting)
    assert weighting.name == name
    assert weights.MEMBERS[name].help


@pytest.mark.parametrize("name", [name for name in weights.MEMBERS if weights.parse(name).learned])
def test_what_learned_refuses_the_ids_of_another_tokenizer(name):
    vocabulary = Vocabulary(tuple("abcd"), frozenset(), None, None)
    fitted = weights.parse(name).fit(Tokens.of([[0, 1], [2, 3]]), vocabulary)
    assert len(fitted.weigh(Tokens.of([[3, 0]]))) == 2
    with pytest.raises(InputError, match=r"weights know 4 tokens, but a text has token id 4"):
        fitted.weigh(Tokens.of([[0, 4]]))


@st.composite
def any_weights(draw):
    kind = draw(st.sampled_from(sorted(weights.CLASSES)))
    values = {bool: st.booleans(), float: st.floats(1e-300, 1e300), str: st.sampled_from(["target", "background"])}
    made = weights.CLASSES[kind]()
    return made.set_params(**{key: draw(values[type(value)]) for key, value in made.get_params().items()})


@given(any_weights())
def test_the_name_of_any_weights_parses_back(weighting):
    again = weights.parse(weighting.name)
    assert type(again) is type(weighting)
    assert again.get_params() == weighting.get_params()
    assert again.name == weighting.name


def test_names_by_hand():
    assert Mean(masks=False, specials=True).name == "mean-without-masks+specials"
    assert Idf(on="background", template=False).name == "idf+no-template@background"
    assert Sif(a=np.float32(0.5)).name == "sif:0.5"
    assert Sif(a=1e20).name == "sif:1e20"
    assert Debiased(punctuation=False, specials=True).name == "debiased+no-punctuation+specials"


def test_who_needs_masks():
    assert [name for name in weights.MEMBERS if weights.parse(name).needs_masks] == ["mask", "mean-without-masks"]


def test_what_a_caller_may_give():
    mine = Idf()
    assert weights.of(mine) is mine
    assert type(weights.of(None)) is Mean
    assert weights.of("idf@background").name == "idf@background"
    with pytest.raises(InputError, match="weights=5 are not token weights"):
        weights.of(5)
