"""The masks of a template alone."""

from __future__ import annotations

import pytest

from attar.errors import InputError
from attar.pooling import scale_weights
from attar.types import Tokens
from attar.weights import Mask


def test_masks_share_the_weight_by_hand():
    tokens = Tokens.of([[2, 10, 4, 4, 12, 3], [4, 10]], roles=[[3, 0, 2, 2, 1, 3], [2, 0]])
    raw = Mask().weigh(tokens)
    assert raw.tolist() == [0, 0, 1, 1, 0, 0, 1, 0]
    scaled, lost = scale_weights(raw, tokens)
    assert scaled.tolist() == [0, 0, 0.5, 0.5, 0, 0, 1, 0]
    assert not lost.any()


def test_a_template_without_masks_is_refused():
    with pytest.raises(InputError, match="need a template with \\[MASK\\]"):
        Mask().weigh(Tokens.of([[1, 2]]))


def test_no_texts_no_complaint():
    assert Mask().weigh(Tokens.of([])).tolist() == []
