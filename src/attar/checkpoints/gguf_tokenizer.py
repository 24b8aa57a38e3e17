"""The tokenizer that a GGUF file describes, as a `tokenizers.Tokenizer`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors

from attar.errors import ModelError

_CONTROL, _USER_DEFINED = 3, 4  # kinds of tokens
_KINDS = range(1, 7)
_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_SPLITS = {  # how a text is split before pieces are merged, by its name in the file
    "gpt2": ("default", "gpt-2", "gpt2", "phi-2", "mpt", "olmo", "jais"),
    "digits": ("smollm", "starcoder", "refact", "command-r", "codeshell", "exaone"),
    "llama3": ("llama-bpe", "llama3", "llama-v3", "smaug-bpe", "falcon3", "dbrx"),
    "qwen2": ("qwen2", "deepseek-r1-qwen", "megrez"),
}
_SPLIT_OF = {name: kind for kind, names in _SPLITS.items() for name in names}


def read_tokenizer(metadata: Mapping[str, Any], path: Path) -> tokenizers.Tokenizer:
    """Pieces, merges, special tokens and what is put around a text.

    Raises
    ------
    ModelError
        For a kind of tokenizer that is not read, or one that is damaged.
    """
    kind = metadata.get("tokenizer.ggml.model")
    makers = {"gpt2": _byte_level, "llama": _sentence_piece}
    if kind not in makers:
        raise ModelError(
            f"{path} has a tokenizer of the kind {kind!r}, which is not read; read are 'gpt2' (byte-level BPE) and "
            "'llama' (SentencePiece BPE)"
        )
    pieces, kinds = _pieces(metadata, path)
    try:
        tokenizer = makers[kind](metadata, pieces, path)
        _add_specials(tokenizer, pieces, kinds)
        _frame(tokenizer, metadata, pieces, kind)
    except ModelError:
        raise
    except Exception as error:  # the library raises plain Exception
        raise ModelError(f"{path} has a damaged tokenizer: {error}") from None
    return tokenizer


def _pieces(metadata: Mapping[str, Any], path: Path) -> tuple[list[str], list[int]]:
    pieces, kinds = (metadata.get(f"tokenizer.ggml.{key}") for key in ("tokens", "token_type"))
    kinds = [1] * len(pieces or ()) if kinds is None else kinds
    if not isinstance(pieces, list) or not pieces or not isinstance(kinds, list) or len(kinds) != len(pieces):
        raise ModelError(f"{path} is damaged: its tokenizer has no tokens, or not a kind for each")
    odd = next((kind for kind in kinds if kind not in _KINDS), None)
    if odd is not None:
        raise ModelError(f"{path} has a token of the kind {odd!r}, which is not read; read are 1 to {_KINDS[-1]}")
    return pieces, kinds


def _byte_level(metadata: Mapping[str, Any], pieces: Sequence[str], path: Path) -> tokenizers.Tokenizer:
    split = metadata.get("tokenizer.ggml.pre", "default")
    if split not in _SPLIT_OF:
        raise ModelError(
            f"{path} splits texts by the rule {split!r}, which is not known; known are {', '.join(sorted(_SPLIT_OF))}"
        )
    merges = [tuple(merge.split(" ", 1)) for merge in metadata.get("tokenizer.ggml.merges") or ()]
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    kind = _SPLIT_OF[split]
    tokenizer = tokenizers.Tokenizer(models.BPE(vocabulary, merges, ignore_merges=kind == "llama3"))
    if kind == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = _splitter(kind)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _splitter(kind: str) -> Any:
    if kind == "gpt2":
        return pre_tokenizers.ByteLevel(add_prefix_space=False)
    if kind == "digits":
        digits, words = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)
        return pre_tokenizers.Sequence([digits, words])
    numbers = r"\p{N}{1,3}" if kind == "llama3" else r"\p{N}"
    split = pre_tokenizers.Split(Regex(_WORDS % numbers), "isolated")
    return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def _sentence_piece(metadata: Mapping[str, Any], pieces: Sequence[str], path: Path) -> tokenizers.Tokenizer:
    scores = metadata.get("tokenizer.ggml.scores")
    if not isinstance(scores, list) or len(scores) != len(pieces):
        raise ModelError(f"{path} is damaged: its tokenizer has no score for each of its {len(pieces)} tokens")
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    unknown = metadata.get("tokenizer.ggml.unknown_token_id", 0)
    model = models.BPE(
        vocabulary, _merges(vocabulary, scores), unk_token=pieces[unknown], fuse_unk=True, byte_fallback=True
    )
    tokenizer = tokenizers.Tokenizer(model)
    space: list[Any] = [normalizers.Replace(" ", "▁")]
    if metadata.get("tokenizer.ggml.add_space_prefix", True):
        space.insert(0, normalizers.Prepend("▁"))
    tokenizer.normalizer = normalizers.Sequence(space)
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def _merges(vocabulary: Mapping[str, int], scores: Sequence[float]) -> list[tuple[str, str]]:
    """Every way to make a piece of two others, best piece first: scores say which pair SentencePiece joins next."""
    found = []
    for piece, i in vocabulary.items():
        splits = ((piece[:at], piece[at:]) for at in range(1, len(piece)))
        pairs = [(a, b) for a, b in splits if a in vocabulary and b in vocabulary]
        pairs.sort(key=lambda pair: (vocabulary[pair[0]], vocabulary[pair[1]]))
        found += [(scores[i], pair) for pair in pairs]
    found.sort(key=lambda scored: -scored[0])
    return [pair for _, pair in found]


def _add_specials(tokenizer: tokenizers.Tokenizer, pieces: Sequence[str], kinds: Sequence[int]) -> None:
    special = [
        AddedToken(p, special=True, normalized=False) for p, k in zip(pieces, kinds, strict=True) if k == _CONTROL
    ]
    plain = [AddedToken(p, normalized=False) for p, k in zip(pieces, kinds, strict=True) if k == _USER_DEFINED]
    tokenizer.add_special_tokens(special)
    tokenizer.add_tokens(plain)


def _frame(tokenizer: tokenizers.Tokenizer, metadata: Mapping[str, Any], pieces: Sequence[str], kind: str) -> None:
    """The tokens that begin and end a text, where the file wants them."""
    by_itself = kind == "llama" or _SPLIT_OF.get(metadata.get("tokenizer.ggml.pre", "default")) == "llama3"
    form, tokens = "$A", []
    for name, usual in (("bos", by_itself), ("eos", False)):
        number = metadata.get(f"tokenizer.ggml.{name}_token_id")
        if metadata.get(f"tokenizer.ggml.add_{name}_token", usual) and isinstance(number, int):
            form = f"{name}:0 {form}" if name == "bos" else f"{form} {name}:0"
            tokens.append((pieces[number], number))
    if tokens:
        wanted = {
            name: pieces[metadata[f"tokenizer.ggml.{name}_token_id"]] for name in ("bos", "eos") if f"{name}:0" in form
        }
        single = [f"{wanted[part[:3]]}:0" if part != "$A" else part for part in form.split()]
        tokenizer.post_processor = processors.TemplateProcessing(single=single, special_tokens=tokens)
