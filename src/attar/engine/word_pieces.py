"""The ids of WordPiece by compiled code: the same as `tokenizers` gives, on all cores and in little memory.

For tokenizers that prepare texts as BERT's do, one character after the other: what becomes of a character does not
depend on those around it, so `tokenizers` is asked once for each, in pages of 256 when a text first needs one.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import tokenizers
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from attar.engine.compiled import address
from attar.engine.threads import usual_threads
from attar.tokens.fast_ids import replace_ids
from attar.tokens.tokenizer import FlatIds
from attar.types import Ints, Vocabulary, offsets_of

_INLINE = 13  # as in _word_pieces.c, like what follows
_NOTHING, _LETTER, _SPACE, _ALONE, _ASK = range(5)
_MOST_CHARACTERS, _PAGES, _PAD = 1000, 0x1100, 8
_LONGEST_PIECE = 63  # characters: less than 256 bytes
_WORTHWHILE = 20_000  # characters that other threads can help with

_SLOT = np.dtype([("begins", "u8"), ("size", "u4"), ("id", "i4")])
_CHARACTER = np.dtype([("kind", "u1"), ("bytes", "u1"), ("characters", "u1"), ("becomes", "u1", _INLINE)])


class _Vocabulary(ctypes.Structure):
    """As in _word_pieces.c."""

    _fields_ = (
        ("slots", ctypes.c_void_p),
        ("slots_mask", ctypes.c_int64),
        ("letters", ctypes.c_char_p),
        ("starts", ctypes.c_void_p),
        ("longest", ctypes.c_void_p),
        ("pages", ctypes.c_void_p),
        ("characters", ctypes.c_void_p),
        ("plain", ctypes.c_void_p),
        ("prefix", ctypes.c_int64),
        ("unknown", ctypes.c_int64),
        ("most", ctypes.c_int64),
    )


class _Pieces(NamedTuple):
    """The pieces of a vocabulary, to be looked up by their letters."""

    letters: bytes
    starts: Ints  # (V + 1,)
    slots: npt.NDArray[Any]  # of _SLOT
    longest: npt.NDArray[np.uint8]  # (2, 256)
    prefix: bytes
    unknown: int
    most: int


class _Known(NamedTuple):
    """The characters that were asked for, and all that the library reads; never changed, since threads may read it."""

    pages: npt.NDArray[np.int32]  # (0x1100,): where a page stands among them, or -1
    characters: npt.NDArray[Any]  # (pages, 256) of _CHARACTER
    plain: npt.NDArray[np.uint8]  # (256,): what a byte becomes that is a letter and stays one byte; else 0
    vocabulary: _Vocabulary

    @classmethod
    def of(cls, pieces: _Pieces, pages: npt.NDArray[np.int32], characters: npt.NDArray[Any]) -> Self:
        first = characters[pages[0]]
        is_plain = (first["kind"] == _LETTER) & (first["bytes"] == 1) & (np.arange(256) < 0x80)
        plain = np.where(is_plain, first["becomes"][:, 0], 0).astype(np.uint8)
        vocabulary = _Vocabulary(
            slots=pieces.slots.ctypes.data,
            slots_mask=len(pieces.slots) - 1,
            letters=pieces.letters,
            starts=address(pieces.starts),
            longest=address(pieces.longest),
            pages=address(pages),
            characters=characters.ctypes.data,
            plain=address(plain),
            prefix=len(pieces.prefix),
            unknown=pieces.unknown,
            most=pieces.most,
        )
        return cls(pages, characters, plain, vocabulary)


class WordPieces:
    """A source of ids for `TextTokenizer.ids`. Texts with characters that depend on others go to `plain`.

    Parameters
    ----------
    functions : ctypes.CDLL
        The compiled library.
    tokenizer : tokenizers.Tokenizer
        One that `is_supported`.
    vocabulary : Vocabulary
        Its pieces.
    plain : callable
        Its ids by `tokenizers`.
    """

    def __init__(
        self,
        functions: ctypes.CDLL,
        tokenizer: tokenizers.Tokenizer,
        vocabulary: Vocabulary,
        plain: Callable[[Sequence[str]], FlatIds],
    ) -> None:
        self._read_texts = functions.attar_word_pieces
        self._normalize, self._split = tokenizer.normalizer.normalize_str, tokenizer.pre_tokenizer.pre_tokenize_str
        self._plain = plain
        self._sorts = self._normalize("\u00e9") in ("e", "E")  # takes letters apart, and puts marks that stay in order
        self._pieces = _enter(functions, tokenizer, vocabulary)
        pages = np.full(_PAGES, -1, dtype=np.int32)
        pages[0] = 0
        self._known = _Known.of(self._pieces, pages, self._page(0)[None])

    def __call__(self, texts: Sequence[str]) -> FlatIds:
        try:
            joined = "\0".join(texts).encode()
        except UnicodeEncodeError:  # lone surrogates, which `tokenizers` has its own words about
            return self._plain(texts)
        if not len(texts):
            return np.empty(0, np.int32), np.empty(0, np.int64)
        size, n = len(joined) + 1, len(texts)  # behind the bytes of Python stands a zero too
        known, room, missing = self._known, np.empty(size, np.int32), np.zeros(_PAGES, np.uint8)
        numbers = np.empty(2 * n + 1, np.int64)  # lengths, and where each text begins
        lengths, at = numbers[:n], address(numbers)
        places = at + n * numbers.itemsize, address(room), at, address(missing)
        threads = 1 if size < _WORTHWHILE else usual_threads()
        total = self._read_texts(ctypes.byref(known.vocabulary), joined, size, n, *places, threads)
        if total < 0:  # a text holds the zero that stands between texts
            return self._without_zeros(texts)
        ids = room[:total].copy()
        if lengths.min() >= 0:
            return ids, lengths
        unread = np.flatnonzero(lengths < 0)
        left = [texts[i] for i in unread.tolist()]
        self._learn(np.flatnonzero(missing).tolist())
        read = self(left) if missing.any() else self._plain(left)
        return replace_ids(ids, np.maximum(lengths, 0), unread, *read)

    def _without_zeros(self, texts: Sequence[str]) -> FlatIds:
        has_zero = np.array(["\0" in text for text in texts])
        lengths = np.zeros(len(texts), np.int64)
        ids, lengths[~has_zero] = self([text for text in texts if "\0" not in text])
        apart = np.flatnonzero(has_zero)
        return replace_ids(ids, lengths, apart, *self._plain([texts[i] for i in apart.tolist()]))

    def _learn(self, pages: Sequence[int]) -> None:
        """Ask what becomes of the characters of these pages.

        Without a lock, which a forked process could find closed for ever: of two threads that learn at once, one may
        have to learn again.
        """
        asked = {page: self._page(page) for page in pages if self._known.pages[page] < 0}
        known = self._known
        new = [page for page in asked if known.pages[page] < 0]
        if not new:
            return
        characters = np.concatenate([known.characters, [asked[page] for page in new]])
        places = known.pages.copy()
        places[new] = np.arange(len(known.characters), len(characters))
        self._known = _Known.of(self._pieces, places, characters)

    def _page(self, page: int) -> npt.NDArray[Any]:
        """Shape: (256,)"""
        return np.array([self._character(page * 256 + i) for i in range(256)], dtype=_CHARACTER)

    def _character(self, code: int) -> tuple[int, int, int, list[int]]:
        """Its row: what it is, how many bytes and characters it becomes, and which bytes."""
        character, ask = chr(code), (_ASK, 0, 0, [0] * _INLINE)
        category = unicodedata.category(character)
        # Marks that stay are put in order with their neighbours; what Python does not know may be such a mark.
        if category in ("Cn", "Cs") or (category != "Mn" and unicodedata.combining(character)):
            return ask
        becomes = self._normalize(character)
        if self._sorts and any(map(unicodedata.combining, becomes)):  # marks too new for `tokenizers` to strip
            return ask
        parts = [part for part, _ in self._split(f"a{becomes}a")]
        if not becomes:
            kind = _NOTHING
        elif parts == ["a", "a"]:
            kind = _SPACE
        elif parts == [f"a{becomes}a"]:
            kind = _LETTER
        elif len(parts) == 3 and parts[0] == parts[2] == "a":
            kind, becomes = _ALONE, parts[1]
        else:
            return ask
        as_bytes = becomes.encode()
        if len(as_bytes) > _INLINE or len(becomes) > len(character.encode()):
            return ask
        return kind, len(as_bytes), len(becomes), [*as_bytes, *[0] * (_INLINE - len(as_bytes))]


def is_supported(tokenizer: tokenizers.Tokenizer, vocabulary: Vocabulary) -> bool:
    """Whether `WordPieces` finds its ids: BERT's preparation, no words added, nothing out of bounds."""
    model = tokenizer.model
    return (
        isinstance(model, WordPiece)
        and isinstance(tokenizer.normalizer, BertNormalizer)
        and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
        and all(token.special for token in tokenizer.get_added_tokens_decoder().values())
        and 0 < model.max_input_chars_per_word <= _MOST_CHARACTERS
        and model.token_to_id(model.unk_token) is not None
        and max(map(len, vocabulary.pieces)) <= _LONGEST_PIECE
        and tokenizer.get_vocab_size()
        == sum(map(bool, vocabulary.pieces)) + ("" in tokenizer.get_vocab())  # one id each
    )


def _enter(functions: ctypes.CDLL, tokenizer: tokenizers.Tokenizer, vocabulary: Vocabulary) -> _Pieces:
    model = tokenizer.model
    pieces = [piece.encode() for piece in vocabulary.pieces]
    for i in vocabulary.special_ids:
        if model.token_to_id(vocabulary.pieces[i]) is None:  # no piece of the model's own
            pieces[i] = b""
    prefix = model.continuing_subword_prefix.encode()
    starts = offsets_of(np.fromiter(map(len, pieces), np.int64, len(pieces)))
    n_entered = len(pieces) + sum(piece.startswith(prefix) for piece in pieces)
    slots = np.zeros(1 << (4 * n_entered // 3).bit_length(), dtype=_SLOT)
    longest = np.zeros((2, 256), dtype=np.uint8)
    letters = b"".join(pieces) + bytes(_PAD)
    given = letters, address(starts), len(pieces), prefix, len(prefix)
    functions.attar_word_piece_slots(*given, slots.ctypes.data, len(slots), address(longest))
    unknown, most = model.token_to_id(model.unk_token), int(model.max_input_chars_per_word)
    return _Pieces(letters, starts, slots, longest, prefix, unknown, most)
