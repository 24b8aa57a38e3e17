"""The tokenizer of a model folder: tokenizer.json, or what transformers can make one from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tokenizers

from attar.checkpoints.checks import read_json
from attar.errors import ModelError

_SLOW_FILES = ("vocab.txt", "vocab.json", "*.model", "*.spm", "dict.txt")  # what tokenizer.json can be made from


def any_tokenizer(folder: Path) -> tuple[tokenizers.Tokenizer, str | None]:
    """The tokenizer and the name of its mask token; transformers is imported only without tokenizer.json.

    Raises
    ------
    ModelError
        Where the files are missing or damaged.
    """
    return load_tokenizer(folder) if (folder / "tokenizer.json").is_file() else _converted(folder)


def load_tokenizer(folder: Path) -> tuple[tokenizers.Tokenizer, str | None]:
    """The same from tokenizer.json alone, without importing transformers."""
    path = folder / "tokenizer.json"
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises plain Exception
        raise ModelError(f"can't read the tokenizer {path}: {error}") from None
    return tokenizer, mask_token_named(folder)


def mask_token_named(folder: Path) -> str | None:
    """What the folder's tokenizer settings call the mask token."""
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        if (folder / name).is_file():
            token: Any = read_json(folder / name).get("mask_token")
            if isinstance(token, dict):
                token = token.get("content")
            if isinstance(token, str):
                return token
    return None


def _converted(folder: Path) -> tuple[tokenizers.Tokenizer, str | None]:
    """For folders without tokenizer.json (vocab.txt, spm files): transformers converts them."""
    from transformers import AutoTokenizer

    if not any(path for pattern in _SLOW_FILES for path in folder.glob(pattern)):  # it would make an empty one
        raise ModelError(f"{str(folder)!r} has no tokenizer.json, nor {', '.join(_SLOW_FILES)} to make one from")
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
        return tokenizer.backend_tokenizer, tokenizer.mask_token
    except Exception as error:  # the library raises many kinds for a folder it can't use
        reason = " ".join(str(error).split())[:200]
        raise ModelError(
            f"can't make a tokenizer from {str(folder)!r}, which has no tokenizer.json: {reason}"
        ) from None
