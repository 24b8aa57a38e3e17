"""The paper's templates and one's own."""

from __future__ import annotations

import pytest

from attar.errors import InputError
from attar.tokens.templates import PAPER, Template


@pytest.mark.parametrize(("name", "masks"), [("T0", 1), ("T1", 2), ("T2", 3), ("T3", 2), ("T4", 3)])
def test_the_papers_templates_have_these_masks(name, masks):
    template = Template.named(name)
    assert template.n_masks == masks
    assert template.name == name
    assert template.before + "[X]" + template.after == template.text


def test_own_template_is_its_own_name():
    own = Template("[MASK] says [X]!")
    assert (own.before, own.after, own.n_masks, own.name) == ("[MASK] says ", "!", 1, "[MASK] says [X]!")


def test_parse_takes_a_name_or_a_template():
    assert Template.parse("T4") == Template(PAPER["T4"])
    assert Template.parse("query: [X]") == Template("query: [X]")


@pytest.mark.parametrize(
    "text", ["no slot", "[X] and [X] is [MASK]", "[X] [X] [X]", "a [X] [+] b", "", "[MASK]", "[x]"]
)
def test_a_template_needs_one_slot(text):
    with pytest.raises(InputError, match=r"exactly one \[X\]"):
        Template(text)


def test_a_template_is_text():
    with pytest.raises(InputError, match="given 5"):
        Template(5)


def test_an_unknown_name_is_told_with_the_known_ones():
    with pytest.raises(InputError, match=r"unknown template 'T9'.*T0, T1"):
        Template.parse("T9")
