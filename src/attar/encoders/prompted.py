"""The prompt that causal models are usually given, and which models have room for it."""

from __future__ import annotations

from attar.errors import InputError
from attar.types import Encoder

PROMPT = "knowledge"  # the template of the named recipe `prompt`


def takes_prompt(encoder: Encoder) -> bool:
    """Whether it is a causal model whose limit leaves at least half of its tokens to the text behind the prompt."""
    if not encoder.causal:
        return False
    try:
        taken = len(encoder.with_template(PROMPT).tokenize(["a"]).ids)
    except InputError:
        return False
    return encoder.token_limit is None or 2 * taken <= encoder.token_limit
