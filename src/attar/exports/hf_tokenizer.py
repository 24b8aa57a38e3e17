"""The tokenizer files of an exported transformer: template, limit and literal special tokens as Attar has them."""

from __future__ import annotations

from pathlib import Path

import tokenizers

from attar.encoders.average import tokenizer_of
from attar.encoders.transformer import Transformer
from attar.exports.frame import frame_of, pad_id, with_frame


def framed_tokenizer(encoder: Transformer) -> tokenizers.Tokenizer:
    """The encoder's tokenizer, which puts special tokens and template around a text by itself."""
    return with_frame(tokenizer_of(encoder), frame_of(encoder))


def save_tokenizer(encoder: Transformer, folder: Path) -> None:
    """Write tokenizer.json and tokenizer_config.json for any version of transformers."""
    from transformers import PreTrainedTokenizerFast

    vocabulary = encoder.vocabulary
    named = {"mask_token": vocabulary.mask_id, "unk_token": vocabulary.unknown_id, "pad_token": pad_id(vocabulary)}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=framed_tokenizer(encoder),
        model_max_length=encoder.limit or 10**9,
        padding_side="right",
        truncation_side="right",
        split_special_tokens=True,  # a "[MASK]" in a text is text
        model_input_names=["input_ids", "attention_mask"],
        **{name: vocabulary.pieces[i] for name, i in named.items() if i is not None},
    )
    tokenizer.save_pretrained(str(folder))
