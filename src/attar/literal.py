"""For texts that spell out a special token: a tokenizer that can't see it as one."""

from __future__ import annotations

import json
from collections.abc import Collection

import tokenizers


def spelling_out(tokenizer: tokenizers.Tokenizer, special_ids: Collection[int]) -> tokenizers.Tokenizer:
    """The same tokenizer with the same ids, in which no text is a special token.

    Some kinds hold their special tokens among the pieces (Unigram: `<s>`), where any text that reads so finds them.
    Here these pieces bear names that no text has.
    """
    settings = json.loads(tokenizer.to_str())
    kept = [token for token in settings["added_tokens"] if not token["special"]]
    settings |= {"added_tokens": kept, "post_processor": None, "truncation": None, "padding": None}
    vocabulary = settings["model"]["vocab"]
    if isinstance(vocabulary, dict):
        settings["model"]["vocab"] = {_renamed(p, i, special_ids): i for p, i in vocabulary.items()}
    else:  # Unigram: the place is the id
        settings["model"]["vocab"] = [[_renamed(p, i, special_ids), s] for i, (p, s) in enumerate(vocabulary)]
    return tokenizers.Tokenizer.from_str(json.dumps(settings))


def _renamed(piece: str, token_id: int, special_ids: Collection[int]) -> str:
    return f"\ufdd0{token_id}\ufdd1" if token_id in special_ids else piece  # noncharacters: in no text
