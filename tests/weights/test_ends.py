"""The first token, or the last."""

from __future__ import annotations

import pytest

from attar.types import Tokens
from attar.weights import First, Last

# [CLS] a b [SEP] | [CLS] [SEP] | nothing | [CLS] c [SEP]
TOKENS = Tokens.of([[2, 10, 11, 3], [2, 3], [], [2, 12, 3]], roles=[[3, 0, 0, 3], [3, 3], [], [3, 0, 3]])


@pytest.mark.parametrize(
    ("weighting", "weights"),
    [
        (First(), [1, 0, 0, 0, 1, 0, 1, 0, 0]),
        (First(specials=False), [0, 1, 0, 0, 0, 0, 0, 1, 0]),
        (Last(), [0, 0, 0, 1, 0, 1, 0, 0, 1]),
        (Last(specials=False), [0, 0, 1, 0, 0, 0, 0, 1, 0]),
    ],
    ids=["cls", "first word", "sep", "last word"],
)
def test_one_token_a_sequence_by_hand(weighting, weights):
    assert weighting.weigh(TOKENS).tolist() == weights


@pytest.mark.parametrize("weighting", [First(), Last()])
def test_no_tokens_no_weights(weighting):
    assert weighting.weigh(Tokens.of([[], []])).tolist() == []
