"""Tokenizers that treat a special token spelled out in a text as plain text."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import tokenizers


def without_special_tokens(tokenizer: tokenizers.Tokenizer, special_ids: Collection[int]) -> tokenizers.Tokenizer:
    """A copy of the tokenizer with the same ids that never produces a special token from text.

    Some models list special tokens among their pieces (Unigram: `<s>`), so that a text can match them; such pieces
    are renamed to strings that occur in no text.
    """
    settings = json.loads(tokenizer.to_str())
    kept = [token for token in settings["added_tokens"] if not token["special"]]
    settings |= {"added_tokens": kept, "post_processor": None, "truncation": None, "padding": None}
    _rename_pieces(settings["model"], special_ids)
    return tokenizers.Tokenizer.from_str(json.dumps(settings))


def hide_special_pieces(tokenizer: tokenizers.Tokenizer, special_ids: Collection[int]) -> tokenizers.Tokenizer:
    """A copy that keeps its special tokens; only those that a text could match as pieces are renamed."""
    copy = tokenizers.Tokenizer.from_str(tokenizer.to_str())
    copy.no_truncation()
    copy.encode_special_tokens = True
    found = {i for i in special_ids if i in copy.encode(copy.id_to_token(i), add_special_tokens=False).ids}
    settings = json.loads(copy.to_str())
    _rename_pieces(settings["model"], found)
    for token in settings["added_tokens"]:
        token["content"] = _renamed(token["content"], token["id"], found)
    return tokenizers.Tokenizer.from_str(json.dumps(settings))


def _rename_pieces(model: dict[str, Any], special_ids: Collection[int]) -> None:
    vocabulary = model["vocab"]
    if isinstance(vocabulary, dict):
        model["vocab"] = {_renamed(p, i, special_ids): i for p, i in vocabulary.items()}
    else:  # Unigram: the place is the id
        model["vocab"] = [[_renamed(p, i, special_ids), s] for i, (p, s) in enumerate(vocabulary)]


def _renamed(piece: str, token_id: int, special_ids: Collection[int]) -> str:
    return f"\ufdd0{token_id}\ufdd1" if token_id in special_ids else piece  # noncharacters: in no text
