"""The tokenizer of an exported model: special tokens, template and limit around every text, as Attar has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tokenizers

from attar.encoders.transformer import Transformer
from attar.errors import ModelError
from attar.tokens.special_as_text import hide_special_pieces
from attar.types import Encoder, Vocabulary

_HEAD, _TAIL = "before", "after"
_PAD_TOKENS = ("[PAD]", "<pad>", "<|endoftext|>", "</s>", "[SEP]")


def backend_of(encoder: Encoder) -> tokenizers.Tokenizer:
    """The tokenizer of an encoder; an error where it splits texts into words by a rule."""
    tokenizer = encoder.backend_tokenizer
    if tokenizer is None:
        raise ModelError(f"{encoder!r} has no tokenizer.json, which other libraries need to read texts")
    return tokenizer


def framed_tokenizer(encoder: Encoder) -> tokenizers.Tokenizer:
    """The encoder's tokenizer, which puts special tokens and template around a text by itself.

    Cutting a text leaves them whole, and no text finds a special token.
    """
    frame, vocabulary = encoder.frame, encoder.vocabulary
    tokenizer = hide_special_pieces(backend_of(encoder), vocabulary.special_ids - {vocabulary.unknown_id})
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


def save_tokenizer(encoder: Transformer, folder: Path) -> None:
    """Write tokenizer.json and tokenizer_config.json for any version of transformers."""
    from transformers import PreTrainedTokenizerFast

    vocabulary, framed = encoder.vocabulary, framed_tokenizer(encoder)
    named = {"mask_token": vocabulary.mask_id, "unk_token": vocabulary.unknown_id, "pad_token": pad_id(vocabulary)}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=framed,
        model_max_length=encoder.token_limit or 10**9,
        padding_side="right",
        truncation_side="right",
        split_special_tokens=True,  # a "[MASK]" in a text is text
        model_input_names=["input_ids", "attention_mask"],
        **{name: framed.id_to_token(i) for name, i in named.items() if i is not None},
    )
    tokenizer.save_pretrained(str(folder))


def pad_id(vocabulary: Vocabulary) -> int:
    """What fills up short texts of a batch; hidden by the mask, so that any token will do."""
    for piece in _PAD_TOKENS:
        if piece in vocabulary.pieces:
            return vocabulary.pieces.index(piece)
    return min(vocabulary.special_ids, default=0)
