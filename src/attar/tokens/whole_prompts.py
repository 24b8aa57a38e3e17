"""Prompts tokenised as one string with their text, so that ids are those which a model would see of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import tokenizers

from attar.errors import InputError
from attar.tokens.templates import SLOT, Template, tidied
from attar.types import Ints, Role, Tokens

Encoded = Sequence[tokenizers.Encoding]
_SPACE_OR_MARK = re.compile(r"[\s!-/:-@\[-`{-~]")


class Sequenced(NamedTuple):
    """One sequence. Shape: (T)"""

    ids: npt.NDArray[np.int32]
    roles: npt.NDArray[np.uint8]
    truncated: bool = False


@dataclass(frozen=True)
class _Fixed:
    """A special token that a prompt names, such as <|im_start|>."""

    token_id: int

    def __call__(self, texts: Sequence[str]) -> list[Sequenced]:
        one = Sequenced(np.array([self.token_id], dtype=np.int32), np.array([Role.TEMPLATE], dtype=np.uint8))
        return [one] * len(texts)


@dataclass(frozen=True)
class _Words:
    """Words with or without places for the text."""

    words: str
    encode: Callable[[Sequence[str]], Encoded]

    def __call__(self, texts: Sequence[str]) -> list[Sequenced]:
        encoded = self.encode([self.words.replace(SLOT, text) for text in texts])
        pairs = zip(encoded, texts, strict=True)
        return [Sequenced(np.array(e.ids, dtype=np.int32), self._roles(e, text)) for e, text in pairs]

    def _roles(self, encoding: tokenizers.Encoding, text: str) -> npt.NDArray[np.uint8]:
        """A token is the text's where any character of it is; in a copy that does not count, the copy's."""
        offsets = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)  # characters, (T, 2)
        roles = np.full(len(offsets), Role.TEMPLATE, dtype=np.uint8)
        before, *others = self.words.split(SLOT)
        start = len(before)
        for n, words in enumerate(others, 1):
            own = (offsets[:, 0] < start + len(text)) & (offsets[:, 1] > start)
            roles[own] = Role.TEXT if n == len(others) else Role.COPY
            start += len(text) + len(words)
        return roles


class WholePrompts:
    """Texts to sequences, one for each prompt of a template.

    Parameters
    ----------
    template : Template
        Without masks.
    encode : callable
        Strings to encodings without special tokens, in which no text is one.
    special_ids : mapping of str to int
        Special tokens, which prompts may name.
    leading, trailing : list of int
        What the model puts around every sequence.
    max_tokens : int or None
        Where texts are cut; the words of a prompt never are.
    windows : int or None
        How many tokens of a text neighbouring sequences share instead.
    """

    def __init__(
        self,
        template: Template,
        encode: Callable[[Sequence[str]], Encoded],
        special_ids: dict[str, int],
        leading: Sequence[int],
        trailing: Sequence[int],
        max_tokens: int | None,
        windows: int | None,
    ) -> None:
        self._template, self._max, self._windows = template, max_tokens, windows
        self._leading, self._trailing = _special(leading), _special(trailing)
        self._forms = [_segments(form, encode, special_ids) for form in template.forms]
        self._answers = [not form.endswith(SLOT) for form in template.forms]
        self._check_room()

    def __call__(self, texts: Sequence[str]) -> Tokens:
        given = [tidied(text) for text in texts] if self._template.tidies else texts
        by_form = [self._sequences(n, given) for n in range(len(self._forms))]
        sequences, owners = [], []
        for n, forms in enumerate(zip(*by_form, strict=True)):
            for parts in forms:
                sequences += parts
                owners += [n] * len(parts)
        return _joined(sequences, owners, len(texts))

    def _sequences(self, form: int, texts: Sequence[str]) -> list[list[Sequenced]]:
        """For each text one sequence, or several windows."""
        parts = [segment(texts) for segment in self._forms[form]]
        whole = [_chained([self._leading, *parts_of, self._trailing]) for parts_of in zip(*parts, strict=True)]
        if self._answers[form]:
            for sequence in whole:
                sequence.roles[len(sequence.roles) - len(self._trailing.ids) - 1] = Role.ANSWER
        return [self._fitted(sequence) for sequence in whole]

    def _fitted(self, sequence: Sequenced) -> list[Sequenced]:
        if self._max is None or len(sequence.ids) <= self._max:
            return [sequence]
        own = np.flatnonzero(sequence.roles == Role.TEXT)
        copies = np.flatnonzero(sequence.roles == Role.COPY)
        room = self._max - (len(sequence.ids) - len(own) - len(copies))
        if self._windows is None or len(copies):
            room = max(0, room // 2 if len(copies) else room)
            return [_without(sequence, np.concatenate([own[room:], copies[room:]]), truncated=True)]
        room = max(1, room)
        step = max(1, room - self._windows)
        starts = [*range(0, len(own) - room, step), len(own) - room]  # the last window is a full one
        return [_without(sequence, np.delete(own, np.s_[start : start + room])) for start in starts]

    def _check_room(self) -> None:
        if self._windows is not None and self._template.echoes:
            raise InputError(f"windows={self._windows!r} can't be used with a template that has {SLOT} twice")
        if self._max is None:
            return
        if isinstance(self._max, bool) or not isinstance(self._max, (int, np.integer)):
            raise InputError(f"max_tokens={self._max!r} is not a whole number")
        kept, self._max = self._max, None
        probes = [self._sequences(n, ["a"])[0][0] for n in range(len(self._forms))]
        self._max = kept
        taken = max(int(np.isin(probe.roles, (Role.TEXT, Role.COPY), invert=True).sum()) for probe in probes)
        least = taken + 2 if self._template.echoes else taken + 1
        if self._max < least:
            raise InputError(
                f"max_tokens={self._max!r} leaves no room for the text: special and template tokens take {taken}; "
                f"give a whole number above {least - 1}"
            )
        if self._windows is not None and not 0 <= self._windows < self._max - taken:
            raise InputError(
                f"windows={self._windows!r} is not a number of tokens that neighbouring windows can share; "
                f"allowed: 0 to {self._max - taken - 1}, or None to cut long texts"
            )


def comes_apart(tokenizer: tokenizers.Tokenizer, template: Template) -> bool:
    """Whether words and text surely have the same ids apart as together: BERT's kind splits at spaces and marks."""
    if template.n_masks:
        return True  # a mask is a token of its own, and what stands around it is tokenised as the paper does
    if template.n_forms > 1 or template.echoes or template.tidies:
        return False
    if not isinstance(tokenizer.pre_tokenizer, tokenizers.pre_tokenizers.BertPreTokenizer):
        return False
    edges = template.before[-1:], template.after[:1]
    return all(not edge or _SPACE_OR_MARK.fullmatch(edge) for edge in edges)


def _segments(
    form: str, encode: Callable[[Sequence[str]], Encoded], special_ids: dict[str, int]
) -> list[_Fixed | _Words]:
    named = sorted((token for token in special_ids if token in form), key=len, reverse=True)
    parts = re.split("(" + "|".join(map(re.escape, named)) + ")", form) if named else [form]
    return [_Fixed(special_ids[part]) if part in special_ids else _Words(part, encode) for part in parts if part]


def _special(ids: Sequence[int]) -> Sequenced:
    return Sequenced(np.array(ids, dtype=np.int32), np.full(len(ids), Role.SPECIAL, dtype=np.uint8))


def _chained(parts: Sequence[Sequenced]) -> Sequenced:
    return Sequenced(np.concatenate([part.ids for part in parts]), np.concatenate([part.roles for part in parts]))


def _without(sequence: Sequenced, places: Ints, truncated: bool = False) -> Sequenced:
    return Sequenced(np.delete(sequence.ids, places), np.delete(sequence.roles, places), truncated)


def _joined(sequences: Sequence[Sequenced], owners: Sequence[int], n_texts: int) -> Tokens:
    truncated = np.zeros(n_texts, dtype=bool)
    for sequence, owner in zip(sequences, owners, strict=True):
        truncated[owner] |= sequence.truncated
    whole = _chained([_special([]), *sequences])
    lengths = [len(sequence.ids) for sequence in sequences]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Tokens(whole.ids, whole.roles, offsets, np.array(owners, dtype=np.int64), n_texts, truncated)
