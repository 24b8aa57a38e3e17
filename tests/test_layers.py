"""Layers by number and name, with and without weights."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from attar.errors import InputError
from attar.layers import parse_layers, resolve_layers

BERT = SimpleNamespace(first_layer=-1, n_layers=12)
STATIC = SimpleNamespace(first_layer=-1, n_layers=-1, made_one_layer_by=None)


@pytest.mark.parametrize(
    ("choice", "numbers", "weights"),
    [
        ("last", (12,), (1.0,)),
        ("first", (1,), (1.0,)),
        (-1, (-1,), (1.0,)),
        (0, (0,), (1.0,)),
        (np.int64(3), (3,), (1.0,)),
        (("first", "last"), (1, 12), (0.5, 0.5)),
        ([1, 2, 12], (1, 2, 12), (1 / 3,) * 3),
        (np.array([1, 12]), (1, 12), (0.5, 0.5)),
        (range(1, 5), (1, 2, 3, 4), (0.25,) * 4),
        ({"first": 0.3, 12: 0.7}, (1, 12), (0.3, 0.7)),
        ({1: 1, 12: -1}, (1, 12), (1.0, -1.0)),
    ],
)
def test_choices_become_numbers_and_weights(choice, numbers, weights):
    assert resolve_layers(choice, BERT) == (numbers, weights)


def test_an_encoder_of_one_layer_has_it_first_and_last():
    assert resolve_layers("last", STATIC) == resolve_layers("first", STATIC) == ((-1,), (1.0,))


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        (13, "layer 13 is out of range: this encoder has -1 to 12"),
        (-2, "layer -2 is out of range"),
        ((1, 99), "layer 99"),
        (True, "layer True is not a number"),
        ((1, False), "layer False is not a number"),
        (1.0, "layer 1.0 is not a number"),
        ((1, 2.5), "layer 2.5 is not a number"),
        (float("nan"), "layer nan is not a number"),
        (None, "layer None is not a number"),
        ("middle", "'middle' is not a number"),
        (("12",), "layer '12' is not a number"),
        (((1, 2),), r"layer \(1, 2\) is not a number"),
        ((), "no layer given"),
        ({}, "no layer given"),
        ((1, "first"), "named twice: 1, 1"),
        ({1: "much"}, "layer weight 'much' is not a number"),
        ({1: None}, "layer weight None is not a number"),
        ({1: float("nan")}, "layer weight nan is not finite"),
        ({1: float("inf")}, "layer weight inf is not finite"),
    ],
)
def test_other_choices_are_refused_with_their_value(choice, told):
    with pytest.raises(InputError, match=told):
        resolve_layers(choice, BERT)


@pytest.mark.parametrize(
    ("spec", "choice"),
    [
        ("last", ("last",)),
        ("first, last", ("first", "last")),
        ("1,6", (1, 6)),
        ("1+6", (1, 6)),  # as sweeps write it
        ("-1+first+last", (-1, "first", "last")),
        ("-1", (-1,)),
        ("1:0.3,last:0.7", {1: 0.3, "last": 0.7}),
        ("1:1e+05,2:1", {1: 1e5, 2: 1.0}),
    ],
)
def test_layers_are_read_from_text(spec, choice):
    assert parse_layers(spec) == choice


@pytest.mark.parametrize("spec", ["", "1,,2", "1++2", "1+", "one", "1.5", "1:x", "1:0.5,2", "1:0.5,1:0.2"])
def test_text_that_is_no_layers_is_shown(spec):
    with pytest.raises(InputError, match="layers"):
        resolve_layers(parse_layers(spec), BERT)


@pytest.mark.parametrize("choice", ["first,last", "12", "1:0.3,12:0.7"])
def test_an_encoder_of_one_layer_says_so(choice):
    with pytest.raises(InputError, match=f"can't take the layers {choice}: .* has one layer alone; write last"):
        resolve_layers(choice, STATIC)
