"""The tokenizer of static models: no special tokens around a text, no limit of length, the fastest source of ids."""

from __future__ import annotations

from pathlib import Path

import tokenizers

from attar.checkpoints.tokenizer_files import load_tokenizer
from attar.engine.fastest_ids import quicken
from attar.errors import InputError, ModelError
from attar.tokens.tokenizer import TextTokenizer


def static_tokenizer(tokenizer: tokenizers.Tokenizer, mask_token: str | None = None) -> TextTokenizer:
    """Takes the tokenizer over: give it a copy of one that is used elsewhere."""
    return quicken(TextTokenizer(tokenizer, mask_token=mask_token, frame=False))


def own_tokenizer(tokenizer_or_folder: tokenizers.Tokenizer | str | Path) -> TextTokenizer:
    """From a tokenizer, which is copied, or from a folder with tokenizer.json."""
    if isinstance(tokenizer_or_folder, tokenizers.Tokenizer):
        return static_tokenizer(tokenizers.Tokenizer.from_str(tokenizer_or_folder.to_str()))
    if not isinstance(tokenizer_or_folder, (str, Path)):
        raise InputError(
            f"expected a tokenizers.Tokenizer or a folder with tokenizer.json; given {tokenizer_or_folder!r}"
        )
    folder = Path(tokenizer_or_folder).expanduser()
    if not (folder / "tokenizer.json").is_file():
        raise ModelError(f"no tokenizer.json in {str(folder)!r}; give a folder that has one, or a tokenizers.Tokenizer")
    return static_tokenizer(*load_tokenizer(folder))
