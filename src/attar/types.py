"""What passes along the one path: Tokens, TokenVectors, Vocabulary; and the protocols of its stations.

Letters for axes: N sequences, T tokens of all sequences together, L layers, D dims, V vocabulary, A weightings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from attar.errors import InputError

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
State = dict[str, npt.NDArray[Any]]  # learned arrays by name, as they are saved


class Role(IntEnum):
    """Whose token it is."""

    TEXT = 0  # the text's own
    TEMPLATE = 1  # the words around [X]
    MASK = 2  # a mask of the template
    SPECIAL = 3  # [CLS], [SEP], <s> ...
    ANSWER = 4  # the last of a prompt's words, behind which a causal model would speak
    COPY = 5  # the text's, where a prompt says it before the copy that counts


@dataclass(frozen=True)
class Vocabulary:
    """The pieces by id, and how the tokenizer marks words."""

    pieces: tuple[str, ...]  # V
    special_ids: frozenset[int]
    unknown_id: int | None
    mask_id: int | None
    continuation: str = "##"  # prefix of a piece that continues a word ("" where words are marked instead)
    word_start: str = ""  # prefix of a piece that starts a word ("Ġ", "▁"; "" where continuations are marked)

    def __len__(self) -> int:
        return len(self.pieces)

    def is_continuation(self, token_id: int) -> bool:
        piece = self.pieces[token_id]
        if self.continuation:
            return piece.startswith(self.continuation)
        return bool(self.word_start) and not piece.startswith(self.word_start)


@dataclass(frozen=True)
class Tokens:
    """N tokenised sequences laid end to end: sequence n holds the tokens offsets[n] to offsets[n + 1].

    A text longer than the model is one sequence (cut) or several (windows); `texts` says whose each sequence is.
    """

    ids: npt.NDArray[np.int32]  # (T,)
    roles: npt.NDArray[np.uint8]  # (T,) of Role
    offsets: Ints  # (N + 1,)
    texts: Ints  # (N,) index of the text, not descending
    n_texts: int
    truncated: npt.NDArray[np.bool_]  # (n_texts,) the text was cut

    def __post_init__(self) -> None:
        if self.offsets.shape != (len(self.texts) + 1,) or not (self.offsets[-1] == len(self.ids) == len(self.roles)):
            raise InputError(
                f"tokens do not fit together: {len(self.ids)} ids, {len(self.roles)} roles, "
                f"{len(self.texts)} sequences, offsets of shape {self.offsets.shape}"
            )

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def lengths(self) -> Ints:  # (N,)
        return np.diff(self.offsets)

    @property
    def sequence_of(self) -> Ints:
        """For each token, its sequence. Shape: (T,)"""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)

    def take(self, sequences: npt.NDArray[np.integer[Any]]) -> Tokens:
        """These sequences alone, in this order, each as a text of its own."""
        lengths = self.lengths[sequences]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        where = token_index(self.offsets[sequences], lengths)
        return Tokens(
            ids=self.ids[where],
            roles=self.roles[where],
            offsets=offsets,
            texts=np.arange(len(sequences), dtype=np.int64),
            n_texts=len(sequences),
            truncated=np.zeros(len(sequences), dtype=bool),
        )

    @classmethod
    def of(cls, sequences: Sequence[Sequence[int]], roles: Sequence[Sequence[int]] | None = None) -> Tokens:
        """From lists of ids, one a text; all tokens are the text's own unless roles are given."""
        lengths = [len(s) for s in sequences]
        flat = [i for s in sequences for i in s]
        flat_roles = [r for s in roles for r in s] if roles is not None else [int(Role.TEXT)] * len(flat)
        n = len(sequences)
        return cls(
            ids=np.array(flat, dtype=np.int32),
            roles=np.array(flat_roles, dtype=np.uint8),
            offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            texts=np.arange(n, dtype=np.int64),
            n_texts=n,
            truncated=np.zeros(n, dtype=bool),
        )


def token_index(starts: Ints, lengths: Ints) -> Ints:
    """Positions of the tokens of ragged runs: starts[0], starts[0] + 1, ... for each run in turn."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    index: Ints = np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - lengths), lengths)
    return index


@dataclass(frozen=True)
class TokenVectors:
    """Vectors of all tokens of a Tokens at the wanted layers. Each layer: (T, D of that layer)."""

    by_layer: Mapping[int, Floats]

    def __getitem__(self, layer: int) -> Floats:
        if layer not in self.by_layer:
            raise InputError(f"layer {layer} was not computed; computed: {sorted(self.by_layer)}")
        return self.by_layer[layer]


@runtime_checkable
class Encoder(Protocol):
    """Texts to tokens, and tokens to pooled vectors at any of its layers.

    Layers are numbers: -1 the token table, 0 the input of the first block, i the output of block i, up to `n_layers`.
    """

    @property
    def n_layers(self) -> int: ...

    @property
    def first_layer(self) -> int:
        """The lowest layer there is: -1, or `n_layers` where there is only one."""
        ...

    @property
    def vocabulary(self) -> Vocabulary: ...

    def width(self, layer: int) -> int: ...

    def tokenize(self, texts: Sequence[str]) -> Tokens: ...

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        """Weighted sums of token vectors, all weightings and layers at once.

        Shape: token_weights (A, T); result (A, N, L, D). All layers must have the same width.
        """
        ...

    def token_vectors(self, tokens: Tokens, layers: Sequence[int]) -> TokenVectors: ...

    def spec(self) -> dict[str, Any]:
        """What `attar.persist` writes to make it again: JSON values, with its kind under "type"."""
        ...


@runtime_checkable
class Weights(Protocol):
    """One number a token, from its id and role; `attar.pooling` scales them to sum to 1 in each sequence."""

    def fit(self, tokens: Tokens, vocabulary: Vocabulary) -> Self:
        """Learn from texts (idf), or from the vocabulary alone (debiased), or nothing (mean)."""
        ...

    def weigh(self, tokens: Tokens) -> Floats:
        """Not negative. Shape: (T,)"""
        ...
