"""The tokenizer of a model folder: tokenizer.json, or what transformers can make one from."""

from __future__ import annotations

import re
from base64 import b64decode
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tokenizers

from attar.checkpoints.checks import read_json
from attar.errors import MissingExtra, ModelError
from attar.io.foreign import reading
from attar.io.streams import silent_panics

_CHARSMAP = re.compile(rb'"precompiled_charsmap"\s*:\s*"([^"]*)"')
_PROBES = ("", "a", "The caf\u00e9 \u4f60\u597d \U0001f600 \u200d ffi \ufb03 1/2 \u00bd")
_GAPS = 1 << 20  # ids that may go unused in any case
_PIECES = ("*.model", "*.spm")  # of SentencePiece
_SLOW_FILES = ("vocab.txt", "vocab.json", *_PIECES, "dict.txt")  # what tokenizer.json can be made from


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
    return open_tokenizer(folder / "tokenizer.json"), mask_token_named(folder)


def open_tokenizer(path: Path) -> tokenizers.Tokenizer:
    """A tokenizer.json of others: the one place where the library reads one.

    Raises
    ------
    ModelError
        Where it can't be read, can't tokenise a text, or asks for memory that nothing in it stands for.
    """
    with reading(path, ModelError):
        content = path.read_bytes()
    for charsmap in _CHARSMAP.findall(content):
        _check_charsmap(charsmap, path)
    with reading(path, ModelError), silent_panics():
        tokenizer = tokenizers.Tokenizer.from_buffer(content)
        tokenizer.no_padding()
        tokenizer.no_truncation()
        for probe in _PROBES:  # what is damaged inside may show only when a text comes
            tokenizer.encode(probe)
    _check_ids(tokenizer, path)
    return tokenizer


def _check_charsmap(encoded: bytes, path: Path) -> None:
    """The table starts with its own size, which the library believes and takes from memory, or is ended for it."""
    with reading(path, ModelError):
        table = b64decode(encoded.replace(b"\\/", b"/"))
    size = int.from_bytes(table[:4], "little")
    if len(table) < 4 or size > len(table) - 4 or size % 4:
        raise ModelError(f"{path} is damaged: its precompiled_charsmap of {len(table)} bytes has a table of {size:,}")


def _check_ids(tokenizer: tokenizers.Tokenizer, path: Path) -> None:
    """Refuse ids so far beyond the number of pieces that a list of all ids would fill the memory."""
    ids = tokenizer.get_vocab(with_added_tokens=True).values()
    most = max(_GAPS, 8 * len(ids))
    if ids and max(ids) >= most:
        raise ModelError(
            f"{path} gives a token the id {max(ids):,}, but has only {len(ids):,} tokens; it is damaged, or was altered"
        )


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
    if not any(path for pattern in _SLOW_FILES for path in folder.glob(pattern)):  # it would make an empty one
        raise ModelError(f"{str(folder)!r} has no tokenizer.json, nor {', '.join(_SLOW_FILES)} to make one from")
    try:
        from transformers import AutoTokenizer
    except ImportError:
        raise MissingExtra("making a tokenizer for a folder without tokenizer.json", "models") from None
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
        made, mask_token = tokenizer.backend_tokenizer, tokenizer.mask_token
    except Exception as error:  # the library raises many kinds for a folder it can't use
        reason = " ".join(str(error).split())[:200]
        if find_spec("sentencepiece") is None and any(path for form in _PIECES for path in folder.glob(form)):
            reason = "it has a SentencePiece model, for which you need pip install sentencepiece"
        raise ModelError(
            f"can't make a tokenizer from {str(folder)!r}, which has no tokenizer.json: {reason}"
        ) from None
    if made.get_vocab_size() <= len(made.get_added_tokens_decoder()):
        raise ModelError(
            f"can't make a tokenizer from {str(folder)!r}, which has no tokenizer.json: its other files are not those "
            "of its kind of model, and leave the tokenizer without pieces"
        )
    return made, mask_token
