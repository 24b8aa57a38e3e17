"""Table: one vector per token and layer, looked up. Encodes without torch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import tokenizers

from attar.encoders.bag import CHUNK, check_layers, report_empty
from attar.encoders.opening import saved_folder
from attar.encoders.static_tokens import own_tokenizer
from attar.engine.sums import pool_rows, sum_rows
from attar.errors import InputError
from attar.io.texts import check_texts, iter_texts
from attar.pooling import check_finite, leave_out
from attar.types import Encoder, Floats, Ints, Tokens, TokenVectors, Vocabulary

if TYPE_CHECKING:
    from attar.encoders.token_sums import TokenSums
    from attar.layers import LayerChoice


class Table(Encoder):
    """One vector per token and layer, and the tokenizer that they belong to.

    Parameters
    ----------
    vectors : array of shape (V, D) or (L, V, D), or mapping of int to array of shape (V, D)
        The token vectors, of one layer, of L layers, or by layer number.
    tokenizer : tokenizers.Tokenizer
        The tokenizer of V tokens.
    weights : array of shape (V,), optional
        Factors that scale each token's vector.
    layers : sequence of int, optional
        The numbers of the L layers; 1 to L unless given.
    counts : array of shape (V,), optional
        How often each token was seen.
    normalize : bool
        `encode` gives unit vectors.
    skip_unknown : bool
        The tokenizer's unknown token does not count.
    made : mapping, optional
        Where the table comes from, as JSON values.

    Raises
    ------
    InputError
        If shapes do not fit together, or values are not finite.

    Examples
    --------
    >>> Table.load("potion-base-8M").encode(["A cat sat."])  # doctest: +SKIP
    """

    kind = "table"
    texts_at_once = 4096  # while their sums are computed the next ones are tokenised

    def __init__(
        self,
        vectors: npt.ArrayLike | Mapping[int, npt.NDArray[Any]],
        tokenizer: tokenizers.Tokenizer,
        weights: npt.ArrayLike | None = None,
        layers: Sequence[int] | None = None,
        *,
        counts: npt.ArrayLike | None = None,
        normalize: bool = False,
        skip_unknown: bool = False,
        made: Mapping[str, Any] | None = None,
    ) -> None:
        self.by_layer = _by_layer(vectors, layers)
        self.tokenizer = own_tokenizer(tokenizer)
        n_rows = len(next(iter(self.by_layer.values())))
        if n_rows < len(self.vocabulary):
            raise InputError(
                f"the table has {n_rows} rows, but its tokenizer has {len(self.vocabulary)} tokens; "
                "give the tokenizer that the table was made with"
            )
        self.weights: Floats | None = _per_token(weights, np.float32, n_rows, "weights")
        self.counts: Ints | None = _per_token(counts, np.int64, n_rows, "counts")
        self.normalize = normalize
        self.skip_unknown = skip_unknown
        self.made = dict(made or {})

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read a folder of `save`, model2vec, sentence-transformers (static) or wordllama. No code is run.

        Parameters
        ----------
        folder : str or Path
            The folder.

        Returns
        -------
        Table
            Its vectors are mapped into memory, not read.

        Raises
        ------
        ModelError
            If the folder holds no table, or it is damaged.
        """
        from attar.encoders.formats.table_folder import read_table

        parts = read_table(Path(folder).expanduser())
        return cls(
            parts.vectors,
            parts.tokenizer,
            parts.weights,
            counts=parts.counts,
            normalize=parts.normalize,
            skip_unknown=parts.skip_unknown,
            made=parts.made,
        )

    @classmethod
    def average(
        cls,
        encoder: Encoder,
        corpus: Iterable[str],
        layers: LayerChoice = ("first", "last"),
        *,
        checkpoint: str | Path | None = None,
        progress: bool = True,
    ) -> Self:
        """The paper's Avg.: for each token, the mean of its vectors over a corpus, at all the layers in one pass.

        Streams any corpus in constant memory.

        Parameters
        ----------
        encoder : Encoder
            The model whose token vectors are averaged.
        corpus : iterable of str
            The texts.
        layers : layers
            Numbers, "first" or "last"; each is averaged by itself.
        checkpoint : str or Path, optional
            A file where the sums are kept, so that a run that was stopped continues from there.
        progress : bool
            Show a progress bar on a terminal.

        Returns
        -------
        Table
            With `counts`; tokens never seen have their input embedding.

        Raises
        ------
        InputError
            If the encoder has no tokenizer.json, or the checkpoint is of another model or corpus.
        """
        from attar.encoders.average import average_tokens

        return cls.of_sums(average_tokens(encoder, corpus, layers, checkpoint=checkpoint, progress=progress), encoder)

    @classmethod
    def of_sums(cls, sums: TokenSums, encoder: Encoder) -> Self:
        """The Avg. from sums that `average_tokens` made with this encoder, perhaps in parts that were merged.

        Parameters
        ----------
        sums : TokenSums
            Sums of token vectors.
        encoder : Encoder
            The encoder that made the token vectors.

        Returns
        -------
        Table
            With `counts`; tokens never seen have their input embedding.

        Raises
        ------
        InputError
            If the encoder has no tokenizer.json.
        """
        tokenizer = encoder.backend_tokenizer
        if tokenizer is None:
            raise InputError(f"{encoder!r} has no tokenizer.json, which a table needs to encode texts")
        vectors, made = sums.means(encoder)
        for rows in vectors.values():
            check_finite(rows, encoder)
        return cls(vectors, tokenizer, counts=sums.counts, made=made)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Write attar_table.json, table.safetensors and tokenizer.json.

        Parameters
        ----------
        folder : str or Path
            The folder to write; it appears whole or not at all.
        overwrite : bool
            Replace an earlier table.

        Raises
        ------
        OutputError
            If the folder exists, or can't be written.
        """
        from attar.encoders.formats.table_folder import write_table

        write_table(self, Path(folder).expanduser(), overwrite=overwrite)

    def encode(self, texts: Any, layers: Sequence[int] | None = None) -> Floats:
        """The mean of each text's token vectors.

        Parameters
        ----------
        texts : iterable of str
            N texts.
        layers : sequence of int, optional
            The layers to average; all of the table's unless given.

        Returns
        -------
        ndarray of float32, of shape (N, D)
            One row per text; zeros for a text without a known token.

        Raises
        ------
        InputError
            If the table does not hold a layer, or a value is not a text.
        """
        wanted = self.layers if layers is None else tuple(layers)
        check_layers(wanted, self.layers)
        checked, _ = check_texts(iter_texts(texts))
        vectors = np.empty((len(checked), self.width(wanted[0])), dtype=np.float32)
        n_empty = 0
        for start in range(0, len(checked), CHUNK):
            vectors[start : start + CHUNK], n = self._means(checked[start : start + CHUNK], wanted)
            n_empty += n
        check_finite(vectors, self)
        report_empty(n_empty, len(checked))
        return vectors

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers it holds."""
        return tuple(self.by_layer)

    @property
    def usual_layers(self) -> tuple[int, ...]:
        return self.layers

    @property
    def tuned_for_sentences(self) -> bool:
        """Whether its files are laid out as by libraries that make tables for sentences (model2vec, wordllama ...)."""
        return "layout" in self.made

    @property
    def n_layers(self) -> int:
        return max(self.by_layer)

    @property
    def first_layer(self) -> int:
        return min(self.by_layer)

    @property
    def vocabulary(self) -> Vocabulary:
        return self.tokenizer.vocabulary

    @property
    def backend_tokenizer(self) -> tokenizers.Tokenizer:
        return self.tokenizer.backend

    def width(self, layer: int) -> int:
        check_layers([layer], self.layers)
        return int(self.by_layer[layer].shape[1])

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        return self.tokenizer(texts)

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        check_layers(layers, self.layers)
        shape = len(token_weights), len(tokens), len(layers), self.by_layer[layers[0]].shape[1]
        pooled = np.empty(shape, dtype=np.float32)
        self.pool_into(tokens, token_weights, layers, pooled)
        return pooled

    def pool_into(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int], out: Floats) -> None:
        check_layers(layers, self.layers)
        if self.skip_unknown and self.vocabulary.unknown_id is not None:
            token_weights = leave_out(tokens.ids == self.vocabulary.unknown_id, token_weights, tokens.offsets)
        if self.weights is not None:
            token_weights = token_weights * self.weights[tokens.ids]
        for at, layer in enumerate(layers):
            into = out[:, :, at]
            pool_rows(self.by_layer[layer], tokens.ids, token_weights, tokens.offsets, into, threads=None)

    def _means(self, texts: Sequence[str], layers: Sequence[int]) -> tuple[Floats, int]:
        """What `pool` gives for plain means, in fewer steps; how many texts have no known token. Shape: (N, D)"""
        tokens = self.tokenize(texts)
        factors = np.ones(len(tokens.ids), np.float32) if self.weights is None else self.weights[tokens.ids]
        n_known = tokens.lengths
        unknown = tokens.ids == self.vocabulary.unknown_id
        if self.skip_unknown and unknown.any():
            factors = np.where(unknown, np.float32(0), factors)
            n_known = n_known - np.bincount(tokens.sequence_of[unknown], minlength=len(tokens))
        vectors = sum_rows(self.by_layer[layers[0]], tokens.ids, factors, tokens.offsets, threads=None)
        for layer in layers[1:]:
            vectors += sum_rows(self.by_layer[layer], tokens.ids, factors, tokens.offsets, threads=None)
        vectors /= np.maximum(n_known * len(layers), 1)[:, None].astype(np.float32)
        if self.normalize:
            lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))
            vectors /= np.where(lengths > 0, lengths, 1)[:, None]
        return vectors, int((n_known == 0).sum())

    def token_vectors(self, tokens: Tokens, layers: Sequence[int]) -> TokenVectors:
        check_layers(layers, self.layers)
        vectors = {layer: self.by_layer[layer][tokens.ids] for layer in layers}
        if self.weights is not None:
            vectors = {layer: rows * self.weights[tokens.ids, None] for layer, rows in vectors.items()}
        return TokenVectors(vectors)

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], folder: Path | None = None) -> Self:
        return cls.load(saved_folder(spec, folder))

    def save_arrays(self, folder: Path) -> None:
        self.save(folder)

    def spec(self) -> dict[str, Any]:
        return {
            "type": self.kind,
            "layers": list(self.layers),
            "tokens": len(self.vocabulary),
            "dims": self.width(self.n_layers),
            "sha256": self.fingerprint,
        }

    def describe(self) -> dict[str, Any]:
        return super().describe() | {"made": self.made}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all vectors, factors and the tokenizer."""
        digest = hashlib.sha256(self.tokenizer.backend.to_str().encode())
        for layer, rows in self.by_layer.items():
            digest.update(f"{layer} {rows.shape}".encode())
            digest.update(rows.data)
        if self.weights is not None:
            digest.update(self.weights.data)
        digest.update(f"{self.normalize} {self.skip_unknown}".encode())
        return digest.hexdigest()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # never changes

    def __repr__(self) -> str:
        size = f"{len(self.vocabulary):,} tokens, {self.width(self.n_layers)} dims"
        return f"Table({size}, layers {', '.join(map(str, self.layers))})"


def _by_layer(vectors: Any, layers: Sequence[int] | None) -> dict[int, Floats]:
    """Each layer's (V, D) as float32, in ascending order of layers; arrays that already are, stay where they are."""
    if isinstance(vectors, Mapping):
        given = dict(vectors)
    else:
        array = np.asarray(vectors)
        stacked = array[None] if array.ndim == 2 else array
        if stacked.ndim != 3:
            raise InputError(f"a table is an array of shape (V, D) or (L, V, D); given shape {array.shape}")
        numbers = tuple(range(1, len(stacked) + 1)) if layers is None else tuple(layers)
        if len(numbers) != len(stacked) or len(set(numbers)) != len(numbers):
            raise InputError(f"{len(stacked)} layers of vectors need as many distinct layer numbers; given {numbers}")
        given = dict(zip(numbers, stacked, strict=True))
    shapes = {layer: np.shape(rows) for layer, rows in given.items()}
    if not given or any(len(s) != 2 or 0 in s for s in shapes.values()) or len({s[0] for s in shapes.values()}) > 1:
        raise InputError(f"each layer of a table is an array (V, D) of the same V; given shapes {shapes}")
    tables = {int(layer): np.ascontiguousarray(given[layer], dtype=np.float32) for layer in sorted(given)}
    for layer, rows in tables.items():
        if not isinstance(given[layer].base, np.memmap) and not np.isfinite(rows).all():
            raise InputError(f"layer {layer} of the table holds values that are not finite")
    return tables


def _per_token(values: npt.ArrayLike | None, dtype: Any, n_rows: int, what: str) -> npt.NDArray[Any] | None:
    if values is None:
        return None
    array = np.ascontiguousarray(values, dtype=dtype)
    if array.shape != (n_rows,) or not np.isfinite(array).all():
        raise InputError(f"{what} of a table are {n_rows} finite numbers, one per token; given shape {array.shape}")
    return array
