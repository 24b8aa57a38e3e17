"""Which recipes are offered to which encoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from attar import Transformer
from attar.choosing.candidates import (
    MASKED_TEMPLATE,
    PROMPT,
    Candidate,
    candidates,
    kept_candidate,
    layer_sets,
    named_candidates,
    plain_candidate,
)


def test_those_of_a_transformer_begin_with_plain_and_hold_the_named(tiny_bert: Transformer) -> None:
    found = candidates(tiny_bert)
    assert found[0] == kept_candidate(tiny_bert) == plain_candidate(tiny_bert)
    assert len(set(found)) == len(found)
    assert set(named_candidates(tiny_bert).values()) <= set(found)
    assert {candidate.template for candidate in found} == {"none", MASKED_TEMPLATE}
    assert (1, 3) in layer_sets(tiny_bert)
    assert all(len(set(layers)) == len(layers) for layers in layer_sets(tiny_bert))


def test_no_direction_is_taken_away_for_groups(tiny_bert: Transformer) -> None:
    assert {c.shape for c in candidates(tiny_bert)} == {"none", "zscore", "abtt:1"}
    assert {c.shape for c in candidates(tiny_bert, grouped=True)} == {"none", "zscore", "center"}


@pytest.mark.parametrize(("limit", "fits"), [(None, True), (254, True), (253, False), (64, False)])
def test_a_causal_model_gets_a_prompt_that_leaves_half_of_its_tokens(
    limit: int | None, fits: bool, tiny_gpt2_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Transformer, "token_limit", None)
    encoder = Transformer(tiny_gpt2_dir)
    assert len(encoder.with_template(PROMPT).tokenize(["a"]).ids) == 127
    monkeypatch.setattr(Transformer, "token_limit", limit)
    found = candidates(encoder)
    prompt = Candidate("knowledge", (encoder.n_layers,), "answer", "zscore")  # what `--recipe prompt` gives
    assert found[0] == (prompt if fits else plain_candidate(encoder))
    assert {c.template for c in found} == ({"none", "knowledge"} if fits else {"none"})
    assert {"last", "position"} <= {c.weights for c in found}
    assert plain_candidate(encoder) in found
