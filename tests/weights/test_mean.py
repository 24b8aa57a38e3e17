"""The plain mean, and which roles it counts."""

from __future__ import annotations

import numpy as np
import pytest

from attar.pooling import scale_weights
from attar.types import Tokens
from attar.weights import Mean

# [CLS] this cat [MASK] . [SEP]
TOKENS = Tokens.of([[2, 10, 11, 4, 12, 3]], roles=[[3, 1, 0, 2, 1, 3]])


@pytest.mark.parametrize(
    ("settings", "weights"),
    [
        ({}, [0, 1, 1, 1, 1, 0]),
        ({"specials": True}, [1, 1, 1, 1, 1, 1]),
        ({"template": False}, [0, 0, 1, 1, 0, 0]),
        ({"masks": False}, [0, 1, 1, 0, 1, 0]),
        ({"template": False, "masks": False}, [0, 0, 1, 0, 0, 0]),
        ({"specials": True, "template": False, "masks": False}, [1, 0, 1, 0, 0, 1]),
    ],
)
def test_every_counted_token_weighs_the_same(settings, weights):
    assert Mean(**settings).weigh(TOKENS).tolist() == weights


def test_scaled_it_is_the_mean():
    scaled, _ = scale_weights(Mean().weigh(TOKENS), TOKENS)
    assert scaled.tolist() == [0, 0.25, 0.25, 0.25, 0.25, 0]
    assert scaled.dtype == np.float32


def test_no_tokens_no_weights():
    assert Mean().weigh(Tokens.of([])).tolist() == []
