"""The tokenizer files of an exported transformer: template, limit and literal special tokens as Attar has them."""

from __future__ import annotations

from pathlib import Path

from attar.encoders.transformer import Transformer
from attar.exports.frame import framed_tokenizer, pad_id


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
