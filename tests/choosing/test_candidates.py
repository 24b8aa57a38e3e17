"""Which recipes are offered to which encoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from attar import Transformer
from attar.choosing.candidates import (
    MASKED_TEMPLATE,
    PROMPT,
    candidates,
    kept_candidate,
    plain_candidate,
    prompt_candidate,
)


def test_the_first_candidate_is_what_is_kept(tiny_bert: Transformer) -> None:
    found = candidates(tiny_bert)
    assert found[0] == kept_candidate(tiny_bert) == plain_candidate(tiny_bert)
    assert len(set(found)) == len(found)
    assert {candidate.template for candidate in found} == {"none", MASKED_TEMPLATE}


def test_for_groups_no_direction_is_taken_away(tiny_bert: Transformer) -> None:
    shapes = [{candidate.shape for candidate in candidates(tiny_bert, grouped)} for grouped in (False, True)]
    assert shapes == [{"none", "zscore", "abtt:1"}, {"none", "zscore", "center"}]


@pytest.mark.parametrize(("limit", "fits"), [(None, True), (254, True), (253, False), (64, False)])
def test_a_prompt_needs_half_of_the_tokens_at_most(
    limit: int | None, fits: bool, tiny_gpt2_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Transformer(tiny_gpt2_dir)
    taken = 127  # of the prompt and one letter
    found = model.with_template(PROMPT)
    monkeypatch.setattr(Transformer, "token_limit", property(lambda self: limit))
    if limit != 64:
        assert len(found.tokenize(["a"]).ids) == taken
    assert kept_candidate(model) == (prompt_candidate(model) if fits else plain_candidate(model))
    assert any(candidate.template == PROMPT for candidate in candidates(model)) == fits
