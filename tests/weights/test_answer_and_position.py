"""The end of a prompt alone, and weights that grow with the place."""

from __future__ import annotations

import pytest

from attar.errors import InputError
from attar.pooling import scale_weights
from attar.types import Role, Tokens
from attar.weights import Answer, Mean, Position, parse

ROLES = [[Role.SPECIAL, Role.COPY, Role.TEMPLATE, Role.TEXT, Role.ANSWER], [Role.TEXT, Role.TEXT]]
TOKENS = Tokens.of([[1, 2, 3, 4, 5], [6, 7]], ROLES)


def test_the_answer_alone():
    assert Answer().weigh(Tokens.of([[1, 2, 3]], [[1, 0, 4]])).tolist() == [0, 0, 1]


def test_a_text_without_a_prompt_has_no_answer():
    with pytest.raises(InputError, match=r"Template.named\('eol'\)"):
        Answer().weigh(Tokens.of([[1, 2]]))
    assert Answer().weigh(Tokens.of([])).tolist() == []


def test_places_by_hand():
    raw = Position().weigh(TOKENS)
    assert raw.tolist() == [0, 0, 3, 4, 5, 1, 2]
    scaled, lost = scale_weights(raw, TOKENS)
    assert scaled[-2:].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert not lost.any()
    assert Position(specials=True, template=False).weigh(TOKENS).tolist() == [1, 0, 0, 4, 0, 1, 2]


def test_a_copy_never_counts_and_an_answer_counts_as_words():
    assert Mean().weigh(TOKENS).tolist() == [0, 0, 1, 1, 1, 1, 1]
    assert parse("text").weigh(TOKENS).tolist() == [0, 0, 0, 1, 0, 1, 1]


@pytest.mark.parametrize(("name", "kind"), [("answer", Answer), ("position", Position), ("text", Mean)])
def test_names(name, kind):
    assert isinstance(parse(name), kind)
