"""Texts to Tokens: special tokens, template, truncation or windows, with every token's role known."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import tokenizers

from attar.errors import InputError, ModelError
from attar.tokens.byte_level import WORD_START
from attar.tokens.special_as_text import without_special_tokens
from attar.tokens.templates import MASK, Template
from attar.tokens.whole_prompts import WholePrompts, comes_apart
from attar.types import Frame, Ints, Role, Tokens, Vocabulary, offsets_of, token_index

FlatIds = tuple[npt.NDArray[np.int32], Ints]  # ids of all texts end to end, and the length of each
_MASK_TOKENS = ("[MASK]", "<mask>")


class TextTokenizer:
    """A `tokenizers.Tokenizer` whose texts are only ever text.

    A `[MASK]` or `[SEP]` inside a text is tokenised letter by letter, never as the special token. A text longer than
    `max_tokens` (which counts special and template tokens too) is cut at its end, or, where `windows` gives a number
    of shared tokens, laid out as overlapping sequences. The template is never cut. `frame=False` leaves the model's
    special tokens out: static models have no use for them. A prompt (a template without masks) is tokenised together
    with its text. `ids` may be replaced by a faster source of the same ids.
    """

    def __init__(
        self,
        tokenizer: tokenizers.Tokenizer,
        template: Template | None = None,
        max_tokens: int | None = None,
        windows: int | None = None,
        mask_token: str | None = None,
        frame: bool = True,
    ) -> None:
        self.backend = tokenizer
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.vocabulary = read_vocabulary(tokenizer, mask_token)
        self._is_special = np.zeros(len(self.vocabulary), dtype=bool)  # (V,)
        self._is_special[list(self.vocabulary.special_ids - {self.vocabulary.unknown_id})] = True
        self.template = template
        tokenizer.encode_special_tokens = False
        leading, trailing = _frame(tokenizer) if frame else ([], [])
        self._whole: WholePrompts | None = None
        if template is not None and not comes_apart(tokenizer, template):
            tokenizer.encode_special_tokens = True
            specials = {self.vocabulary.pieces[i]: i for i in self.vocabulary.special_ids}
            around = template, self._encodings, specials, leading, trailing
            self._whole = WholePrompts(*around, max_tokens, windows)
            template = max_tokens = windows = None
        before, after = self._template_ids(template)
        self._head = np.array(leading + before, dtype=np.int32)
        self._tail = np.array(after + trailing, dtype=np.int32)
        special = [Role.SPECIAL]
        self._head_roles = np.array(special * len(leading) + self._roles(before), dtype=np.uint8)
        self._tail_roles = np.array(self._roles(after) + special * len(trailing), dtype=np.uint8)
        if template is not None and template.has_answer and after:
            self._tail_roles[len(after) - 1] = Role.ANSWER
        self._room = self._text_room(max_tokens)
        self._overlap = self._check_windows(windows)
        tokenizer.encode_special_tokens = True
        self.ids: Callable[[Sequence[str]], FlatIds] = self._ids

    @property
    def frame(self) -> Frame:
        """The tokens around every text."""
        head, head_roles = tuple(self._head.tolist()), tuple(self._head_roles.tolist())
        tail, tail_roles = tuple(self._tail.tolist()), tuple(self._tail_roles.tolist())
        return Frame(head, head_roles, tail, tail_roles, self._whole is not None)

    def __call__(self, texts: Sequence[str]) -> Tokens:
        if self._whole is not None:
            return self._whole(texts)
        flat, lengths = self._as_text(texts, *self.ids(texts))
        n = len(texts)
        if self._room is None and not len(self._head) and not len(self._tail):  # each text is its ids
            roles = np.zeros(len(flat), dtype=np.uint8)  # of Role.TEXT
            return Tokens(flat, roles, offsets_of(lengths), np.arange(n), n, np.zeros(n, dtype=bool))
        owners, starts, kept, truncated = self._layout(lengths)
        n_head, n_tail = len(self._head), len(self._tail)
        offsets = offsets_of(kept + (n_head + n_tail))
        total = int(offsets[-1])
        ids = np.empty(total, dtype=np.int32)
        roles = np.full(total, Role.TEXT, dtype=np.uint8)
        begins = offsets_of(lengths)[:-1]
        ids[token_index(offsets[:-1] + n_head, kept)] = flat[token_index(begins[owners] + starts, kept)]
        head_at = offsets[:-1, None] + np.arange(n_head)
        tail_at = offsets[1:, None] - n_tail + np.arange(n_tail)
        ids[head_at], roles[head_at] = self._head, self._head_roles
        ids[tail_at], roles[tail_at] = self._tail, self._tail_roles
        return Tokens(ids, roles, offsets, owners, n, truncated)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.backend.encode_special_tokens = True  # which the state of a tokenizer leaves out

    def _ids(self, texts: Sequence[str]) -> FlatIds:
        with _clear_errors():
            encoded = [e.ids for e in self.backend.encode_batch_fast(list(texts), add_special_tokens=False)]
        lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        return np.fromiter(chain.from_iterable(encoded), dtype=np.int32, count=int(lengths.sum())), lengths

    def _encodings(self, texts: Sequence[str]) -> list[tokenizers.Encoding]:
        """With the places of tokens in their text; special tokens that turn up in one are the letters they are."""
        with _clear_errors():
            encoded = self.backend.encode_batch(list(texts), add_special_tokens=False)
        for n, encoding in enumerate(encoded):
            if encoding.ids and self._is_special[encoding.ids].any():
                encoded[n] = self._spelling.encode(texts[n], add_special_tokens=False)
        return encoded

    def _as_text(self, texts: Sequence[str], flat: npt.NDArray[np.int32], lengths: Ints) -> FlatIds:
        """Tokenise again, as plain text, the texts in which a special token was found."""
        found = self._is_special[flat]
        if not np.count_nonzero(found):
            return flat, lengths
        split = np.split(flat, np.cumsum(lengths)[:-1])
        for n in {int(n) for n in np.repeat(np.arange(len(texts)), lengths)[found]}:
            split[n] = np.array(_encode(self._spelling, texts[n]), dtype=np.int32)
        return np.concatenate(split), np.array([len(ids) for ids in split], dtype=np.int64)

    @cached_property
    def _spelling(self) -> tokenizers.Tokenizer:
        return without_special_tokens(self.backend, self.vocabulary.special_ids - {self.vocabulary.unknown_id})

    def _layout(self, lengths: Ints) -> tuple[Ints, Ints, Ints, npt.NDArray[np.bool_]]:
        """For each sequence its text, where in the text it starts and how many tokens it takes; which texts are cut."""
        n = len(lengths)
        if self._room is None:
            return np.arange(n), np.zeros(n, dtype=np.int64), lengths, np.zeros(n, dtype=bool)
        long = lengths > self._room
        if self._overlap is None:
            return np.arange(n), np.zeros(n, dtype=np.int64), np.minimum(lengths, self._room), long
        step = self._room - self._overlap
        n_windows = np.where(long, -(-(lengths - self._room) // step) + 1, 1)
        owners = np.repeat(np.arange(n), n_windows)
        starts = token_index(np.zeros(n, dtype=np.int64), n_windows) * step
        starts = np.minimum(starts, np.maximum(lengths[owners] - self._room, 0))  # the last window is a full one
        return owners, starts, np.minimum(lengths[owners], self._room), np.zeros(n, dtype=bool)

    def _template_ids(self, template: Template | None) -> tuple[list[int], list[int]]:
        if template is None:
            return [], []
        if template.n_masks and self.vocabulary.mask_id is None:
            raise ModelError(
                f"the template {template.text!r} has {MASK}, but this model's tokenizer has no mask token; "
                "use a template without masks"
            )
        parts = []
        for part in (template.before, template.after):
            if self.vocabulary.mask_id is not None:
                part = part.replace(MASK, self.vocabulary.pieces[self.vocabulary.mask_id])
            parts.append(_encode(self.backend, part) if part else [])
        return parts[0], parts[1]

    def _roles(self, ids: list[int]) -> list[Role]:
        return [Role.MASK if i == self.vocabulary.mask_id else Role.TEMPLATE for i in ids]

    def _text_room(self, max_tokens: int | None) -> int | None:
        if max_tokens is None:
            return None
        taken = len(self._head) + len(self._tail)
        if isinstance(max_tokens, bool) or not isinstance(max_tokens, (int, np.integer)) or max_tokens <= taken:
            raise InputError(
                f"max_tokens={max_tokens!r} leaves no room for the text: special and template tokens take {taken}; "
                f"give a whole number above {taken}"
            )
        return int(max_tokens) - taken

    def _check_windows(self, windows: int | None) -> int | None:
        if windows is None or self._room is None:
            return None
        if isinstance(windows, bool) or not isinstance(windows, (int, np.integer)) or not 0 <= windows < self._room:
            raise InputError(
                f"windows={windows!r} is not a number of tokens that neighbouring windows can share; "
                f"allowed: 0 to {self._room - 1}, or None to cut long texts"
            )
        return int(windows)


def _frame(tokenizer: tokenizers.Tokenizer) -> tuple[list[int], list[int]]:
    """The special tokens put before and after a text."""
    with _clear_errors():
        encoding = tokenizer.encode("a", add_special_tokens=True)
    special = encoding.special_tokens_mask
    own = [i for i, s in enumerate(special) if not s]
    if not own:
        return list(encoding.ids), []
    return list(encoding.ids[: own[0]]), list(encoding.ids[own[-1] + 1 :])


def read_vocabulary(tokenizer: tokenizers.Tokenizer, mask_token: str | None = None) -> Vocabulary:
    """The pieces and marks of any tokenizer."""
    by_piece = tokenizer.get_vocab(with_added_tokens=True)
    pieces = [""] * (max(by_piece.values(), default=-1) + 1)
    for piece, i in by_piece.items():
        pieces[i] = piece
    added = tokenizer.get_added_tokens_decoder()
    mask = next((by_piece[m] for m in (mask_token, *_MASK_TOKENS) if m is not None and m in by_piece), None)
    continuation, word_start = _marks(tokenizer, pieces)
    return Vocabulary(
        pieces=tuple(pieces),
        special_ids=frozenset(i for i, token in added.items() if token.special),
        unknown_id=_unknown_id(tokenizer, by_piece),
        mask_id=mask,
        continuation=continuation,
        word_start=word_start,
    )


def _unknown_id(tokenizer: tokenizers.Tokenizer, by_piece: dict[str, int]) -> int | None:
    model = tokenizer.model
    if isinstance(model, tokenizers.models.Unigram):  # its settings alone tell
        unk_id: int | None = json.loads(tokenizer.to_str())["model"].get("unk_id")
        return unk_id
    return by_piece.get(model.unk_token) if model.unk_token is not None else None


def _marks(tokenizer: tokenizers.Tokenizer, pieces: Sequence[str]) -> tuple[str, str]:
    """How word beginnings or continuations are marked: ("##", "") or ("", "Ġ") ...; ("", "") where they are not."""
    continuation = getattr(tokenizer.model, "continuing_subword_prefix", None)
    if continuation:
        return continuation, ""
    if isinstance(tokenizer.model, tokenizers.models.WordLevel):
        return "", ""
    byte_level = "ByteLevel" in repr(tokenizer.pre_tokenizer) + repr(tokenizer.normalizer)
    mark = WORD_START if byte_level else "▁"
    return "", mark if any(piece.startswith(mark) for piece in pieces) else ""


def _encode(tokenizer: tokenizers.Tokenizer, text: str) -> list[int]:
    with _clear_errors():
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return ids


@contextmanager
def _clear_errors() -> Iterator[None]:
    """Turn the panics and errors of a damaged tokenizer into a ModelError."""
    try:
        yield
    except BaseException as error:
        if type(error) is Exception or type(error).__name__ == "PanicException":
            raise ModelError(f"the tokenizer is damaged and can't read texts: {error}") from None
        raise
