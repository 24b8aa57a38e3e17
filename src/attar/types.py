"""What passes along the one path: Tokens, TokenVectors, Vocabulary; and the protocols of its stations.

Letters for axes: N sequences, T tokens of all sequences together, L layers, D dims, V vocabulary, A weightings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from attar.errors import InputError

if TYPE_CHECKING:
    import tokenizers

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
    absent: npt.NDArray[np.bool_] | None = None  # (T,) has no vector and does not count; None where all have one

    def __post_init__(self) -> None:
        n_ids, n_roles = len(self.ids), len(self.roles)
        if self.offsets.shape != (len(self.texts) + 1,) or not (n_ids == n_roles == self.offsets.item(-1)):
            raise InputError(
                f"tokens do not fit together: {len(self.ids)} ids, {len(self.roles)} roles, "
                f"{len(self.texts)} sequences, offsets of shape {self.offsets.shape}"
            )

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def all_own(self) -> bool:
        """Whether every token is its text's own, as in static models."""
        return not np.count_nonzero(self.roles)

    @property
    def lengths(self) -> Ints:  # (N,)
        return self.offsets[1:] - self.offsets[:-1]

    @property
    def sequence_of(self) -> Ints:
        """For each token, its sequence. Shape: (T,)"""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)

    @property
    def own(self) -> npt.NDArray[np.bool_]:
        """Whether each token is its text's own and has a vector. Shape: (T,)"""
        own: npt.NDArray[np.bool_] = self.roles == int(Role.TEXT)
        return own if self.absent is None else own & ~self.absent

    def take(self, sequences: npt.NDArray[np.integer[Any]]) -> Tokens:
        """These sequences alone, in this order, each as a text of its own."""
        lengths = self.lengths[sequences]
        offsets = offsets_of(lengths)
        where = token_index(self.offsets[sequences], lengths)
        return Tokens(
            ids=self.ids[where],
            roles=self.roles[where],
            offsets=offsets,
            texts=np.arange(len(sequences), dtype=np.int64),
            n_texts=len(sequences),
            truncated=np.zeros(len(sequences), dtype=bool),
            absent=None if self.absent is None else self.absent[where],
        )

    def repeated(self, times: Ints) -> Tokens:
        """Every text so many times in a row. Shape: times (n_texts,)"""
        if (times == 1).all():
            return self
        order = np.repeat(np.arange(self.n_texts, dtype=np.int64), times)
        of_text = np.bincount(self.texts, minlength=self.n_texts)  # sequences of each text
        sequences = token_index((np.cumsum(of_text) - of_text)[order], of_text[order])
        taken = self.take(sequences)
        owners = np.repeat(np.arange(len(order), dtype=np.int64), of_text[order])
        return replace(taken, texts=owners, n_texts=len(order), truncated=self.truncated[order])

    @classmethod
    def of(cls, sequences: Sequence[Sequence[int]], roles: Sequence[Sequence[int]] | None = None) -> Tokens:
        """From lists of ids, one per text; all tokens are the text's own unless roles are given."""
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


def offsets_of(lengths: Ints) -> Ints:
    """Where each of some runs begins, and where the last one ends. Shape: (N,) -> (N + 1,)"""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.add.accumulate(lengths, out=offsets[1:])
    return offsets


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


@dataclass(frozen=True)
class Frame:
    """The tokens that an encoder puts around every text: special tokens, the words of a template and its masks."""

    head: tuple[int, ...] = ()  # ids before the text
    head_roles: tuple[int, ...] = ()
    tail: tuple[int, ...] = ()  # ids after the text
    tail_roles: tuple[int, ...] = ()
    joined: bool = False  # the words of a prompt are not here: they are tokenised together with each text

    @property
    def tokens(self) -> tuple[tuple[int, int], ...]:
        """(id, role) of each token."""
        return (*zip(self.head, self.head_roles, strict=True), *zip(self.tail, self.tail_roles, strict=True))


# visit(number of the batch, places of its tokens in Tokens.ids (T of the batch,), layer, vectors (T of the batch, D))
VisitTokens = Callable[[int, Ints, int, Floats], None]
_HELD_BYTES = 1 << 26  # of token vectors that `each_batch` holds at once
_LEAST_TOKENS = 2048  # in a batch, however wide the layers are


@runtime_checkable
class Encoder(Protocol):
    """Texts to tokens, and tokens to pooled vectors at any of its layers: everything that callers may use.

    Layers are numbers: -1 the token table, 0 the input of the first block, i the output of block i, up to `n_layers`.
    Encoders inherit from this class; members with a body here need no other one unless the encoder differs.
    """

    kind: ClassVar[str]  # what recipes call it under "type"
    contextual: bool = False  # whether a token's vector depends on the tokens around it
    device: str = "cpu"  # where its forward pass is computed
    pools_linearly: ClassVar[bool] = True  # whether `pool` gives weighted sums; if not, only vectors can be had of it
    texts_at_once: int = 8192  # texts that are tokenised and pooled together: some seconds of work

    @property
    def n_layers(self) -> int:
        """The number of the last layer."""
        ...

    @property
    def first_layer(self) -> int:
        """The lowest layer there is: -1, or `n_layers` where there is only one."""
        ...

    @property
    def made_one_layer_by(self) -> str | None:
        """The setting of a recipe that made one layer of several; None where none did."""
        return None

    @property
    def usual_layers(self) -> tuple[int, ...]:
        """The default layers to average."""
        return (self.n_layers,)

    @property
    def usual_weights(self) -> str:
        """The name of the default weights."""
        return "mean"

    @property
    def causal(self) -> bool:
        """Whether a token sees only those before it, as in a language model that writes."""
        return False

    @property
    def tuned_for_sentences(self) -> bool:
        """Whether something says that the model was tuned for sentences, so that its plain mean serves best."""
        return False

    @property
    def tuned_weights(self) -> str:
        """The name of the token weights that it was tuned with: those of an `Embedder` that is given none."""
        return "mean"

    @property
    def tuned_beyond(self) -> tuple[str, ...]:
        """What it was tuned to compute from the token vectors besides, in words; it is left out."""
        return ()

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens by id."""
        ...

    @property
    def backend_tokenizer(self) -> tokenizers.Tokenizer | None:
        """The tokenizer that `tokenize` uses; None where texts are split into words by a rule."""
        return None

    @property
    def frame(self) -> Frame:
        """The tokens around every text."""
        return Frame()

    @property
    def token_limit(self) -> int | None:
        """Tokens that a sequence may have; None where there is no limit."""
        return None

    @property
    def fingerprint(self) -> str | None:
        """A hash of all that decides about token vectors; None where it can't be told."""
        return None

    def width(self, layer: int) -> int:
        """The number of dims of the vectors of a layer.

        Parameters
        ----------
        layer : int
            The number of the layer.

        Returns
        -------
        int
            D of that layer.
        """
        ...

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        """Tokenise texts.

        Parameters
        ----------
        texts : sequence of str
            The texts.

        Returns
        -------
        Tokens
            Token ids, each with its role; several sequences of a text where it is read in windows.
        """
        ...

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        """Weighted sums of token vectors, all weightings and layers at once.

        Parameters
        ----------
        tokens : Tokens
            N sequences of T tokens in all.
        token_weights : ndarray of float32, of shape (A, T)
            One row per weighting.
        layers : sequence of int
            L layers of the same width.

        Returns
        -------
        ndarray of float32, of shape (A, N, L, D)
            The sums.

        Raises
        ------
        InputError
            If there is no such layer, or widths differ.
        """
        ...

    def pool_into(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int], out: Floats) -> None:
        """The same as `pool`, written where it is wanted.

        Parameters
        ----------
        tokens : Tokens
            N sequences of T tokens in all.
        token_weights : ndarray of float32, of shape (A, T)
            One row per weighting.
        layers : sequence of int
            L layers of the same width.
        out : ndarray of float32, of shape (A, N, L, D)
            Where the sums go.

        Raises
        ------
        InputError
            If there is no such layer, or widths differ.
        """
        out[:] = self.pool(tokens, token_weights, layers)

    def token_vectors(self, tokens: Tokens, layers: Sequence[int]) -> TokenVectors:
        """The vectors of all tokens.

        Parameters
        ----------
        tokens : Tokens
            T tokens.
        layers : sequence of int
            The wanted layers.

        Returns
        -------
        TokenVectors
            By layer: (T, D of that layer).

        Raises
        ------
        InputError
            If there is no such layer.
        """
        ...

    def each_batch(self, tokens: Tokens, layers: Sequence[int], visit: VisitTokens) -> None:
        """Call `visit` with the vectors of some tokens at a time, from lower to higher layers in each batch.

        Several threads may call it at once, each for batches of its own.

        Parameters
        ----------
        tokens : Tokens
            N sequences.
        layers : sequence of int
            The wanted layers.
        visit : callable
            Called with the number of the batch, the places of its tokens, a layer and the vectors (T of the batch,
            D).
        """
        budget = max(_LEAST_TOKENS, _HELD_BYTES // (4 * sum(self.width(layer) for layer in layers)))
        order = np.argsort(-tokens.lengths, kind="stable")
        batch_of = (np.cumsum(tokens.lengths[order]) - 1) // budget
        batches = np.split(order, np.flatnonzero(np.diff(batch_of)) + 1)
        for number, sequences in enumerate(b for b in batches if tokens.lengths[b].sum()):
            vectors = self.token_vectors(tokens.take(sequences), layers)
            places = token_index(tokens.offsets[sequences], tokens.lengths[sequences])
            for layer in sorted(layers):
                visit(number, places, layer, vectors[layer])

    def with_template(self, template: str | None) -> Encoder:
        """The same model with another template, loaded only once.

        Parameters
        ----------
        template : str or None
            The name or text of a template; None for none.

        Returns
        -------
        Encoder
            Another one, or itself.

        Raises
        ------
        InputError
            If the encoder has no place for a template.
        """
        if template is None:
            return self
        raise InputError(f"the template {template!r} is for transformers; {self!r} has no place for one")

    def configured(
        self, *, threads: int | None = None, precision: str | None = None, device: str | None = None
    ) -> Encoder:
        """The same encoder with other settings of its computation.

        Parameters
        ----------
        threads : int, optional
            How many cores to use.
        precision : str, optional
            "float32", "float64" or "int8".
        device : str, optional
            Where torch computes: "cpu", "cuda" or "mps".

        Returns
        -------
        Encoder
            Another one, or itself if nothing is given.

        Raises
        ------
        InputError
            If the encoder computes no forward pass.
        """
        elsewhere = None if device == "cpu" else device
        for name, value in (("threads", threads), ("precision", precision), ("device", elsewhere)):
            if value is not None:
                raise InputError(f"{name}={value!r} is for transformers; {self!r} computes no forward pass")
        return self

    def describe(self) -> dict[str, Any]:
        """What `attar info` shows: JSON values by name."""
        return {
            "encoder": self.kind,
            "layers": ", ".join(map(str, self.usual_layers)),
            "width": self.width(self.n_layers),
            "vocabulary": len(self.vocabulary),
            "made": None,
        }

    def spec(self) -> dict[str, Any]:
        """What `attar.persist` writes to make it again: JSON values, with its kind under "type"."""
        ...

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], folder: Path | None = None) -> Self:
        """Make the encoder that a spec describes.

        Parameters
        ----------
        spec : mapping
            What `spec` gave.
        folder : Path, optional
            The folder that `save_arrays` wrote, if there is one.

        Returns
        -------
        Encoder
            Equal to the one that was described.

        Raises
        ------
        ModelError
            If the spec or the folder is damaged.
        """
        ...

    def save_arrays(self, folder: Path) -> None:
        """Write what the spec does not hold, if there is any.

        Parameters
        ----------
        folder : Path
            A new folder.
        """
        return
