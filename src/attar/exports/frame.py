"""What stands around every text: special tokens, the template's words and its masks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import tokenizers

from attar.encoders.average import tokenizer_of
from attar.errors import ModelError
from attar.tokens.special_as_text import out_of_reach
from attar.types import Encoder, Role, Tokens, Vocabulary

_PROBES = ("a", "1", "the", ".")
_HEAD, _TAIL = "before", "after"
_PAD_TOKENS = ("[PAD]", "<pad>", "<|endoftext|>", "</s>", "[SEP]")


@dataclass(frozen=True)
class Frame:
    """Ids and roles before and after a text."""

    head: tuple[int, ...]
    head_roles: tuple[int, ...]
    tail: tuple[int, ...]
    tail_roles: tuple[int, ...]

    @property
    def tokens(self) -> tuple[tuple[int, int], ...]:
        """(id, role) of each."""
        return (*zip(self.head, self.head_roles, strict=True), *zip(self.tail, self.tail_roles, strict=True))


def frame_of(encoder: Encoder) -> Frame:
    """Seen from a text that surely has tokens of its own."""
    for probe in _PROBES:
        tokens: Tokens = encoder.tokenize([probe])
        own = np.flatnonzero(tokens.roles == Role.TEXT)
        if len(own):
            first, last = int(own[0]), int(own[-1]) + 1
            ids, roles = tokens.ids.tolist(), tokens.roles.tolist()
            return Frame(tuple(ids[:first]), tuple(roles[:first]), tuple(ids[last:]), tuple(roles[last:]))
    raise ModelError(f"the tokenizer of {encoder!r} finds no token in any of {_PROBES}; it can't be exported")


def framed_tokenizer(encoder: Any) -> tokenizers.Tokenizer:
    """The encoder's tokenizer, which puts special tokens and template around a text by itself.

    Cutting a text leaves them whole, and no text finds a special token.
    """
    frame, vocabulary = frame_of(encoder), encoder.vocabulary
    tokenizer = out_of_reach(tokenizer_of(encoder), vocabulary.special_ids - {vocabulary.unknown_id})
    settings: dict[str, Any] = json.loads(tokenizer.to_str())
    pieces: list[dict[str, Any]] = [{"Sequence": {"id": "A", "type_id": 0}}]
    special: dict[str, Any] = {}
    for name, ids in ((_HEAD, frame.head), (_TAIL, frame.tail)):
        if ids:
            piece = {"SpecialToken": {"id": name, "type_id": 0}}
            pieces = [piece, *pieces] if name == _HEAD else [*pieces, piece]
            special[name] = {"id": name, "ids": list(ids), "tokens": [tokenizer.id_to_token(i) for i in ids]}
    pair = [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}]
    settings["post_processor"] = {
        "type": "TemplateProcessing",
        "single": pieces,
        "pair": pair,
        "special_tokens": special,
    }
    settings |= {"truncation": None, "padding": None}
    return tokenizers.Tokenizer.from_str(json.dumps(settings))


def pad_id(vocabulary: Vocabulary) -> int:
    """What fills up short texts of a batch; hidden by the mask, so that any token will do."""
    for piece in _PAD_TOKENS:
        if piece in vocabulary.pieces:
            return vocabulary.pieces.index(piece)
    return min(vocabulary.special_ids, default=0)
