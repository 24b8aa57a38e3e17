"""Byte-level pieces as text: tokenizers like GPT-2's write each byte of UTF-8 as one printable character."""

from __future__ import annotations

from functools import cache

from attar.types import Vocabulary

WORD_START = "Ġ"  # how byte-level tokenizers mark a space before a word


def surface(vocabulary: Vocabulary, token_id: int) -> str:
    """The text of a piece, without the marks by which its tokenizer tells words from their continuations."""
    bare = vocabulary.pieces[token_id].removeprefix(vocabulary.continuation).removeprefix(vocabulary.word_start)
    return decode(bare) if vocabulary.word_start == WORD_START else bare


def decode(piece: str) -> str:
    """The text of a piece; a piece that holds part of a character only, or is not of bytes, stays as it is."""
    table = _bytes()
    try:
        return bytes(table[character] for character in piece).decode()
    except (KeyError, UnicodeDecodeError):
        return piece


@cache
def _bytes() -> dict[str, int]:
    """Bytes that print stand for themselves; the others follow from U+0100 on."""
    printing = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in printing]
    return {chr(byte): byte for byte in printing} | {chr(0x100 + i): byte for i, byte in enumerate(others)}
