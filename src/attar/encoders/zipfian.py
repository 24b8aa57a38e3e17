"""Zipfian whitening: the rows of a static table, shaped under the frequencies of their tokens (Yokoi et al., 2024)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from attar.encoders.table import Table
from attar.encoders.word_vectors import WordVectors
from attar.errors import InputError
from attar.io.texts import chunks
from attar.shapers import parse as parse_shapers
from attar.shapers.affine_shaper import MomentShaper
from attar.shapers.moments import Moments
from attar.types import Encoder, Floats, Ints, Role

SHAPER = "whiten"
_ROWS_AT_ONCE = 4096  # turned to float64


def zipfian(encoder: Encoder, texts: Iterable[str], shaper: str = SHAPER) -> Table | WordVectors:
    """A static table whose rows have mean 0 and are uncorrelated when each counts as often as its token occurs.

    Whitening of a table usually counts every token once; of its tokens most are rare, while texts are made of frequent
    ones. A mean of rows under weights that sum to 1 goes through an affine map as its rows do, so this equals the
    whitening of text vectors by moments that were taken over tokens instead of over texts.

    Parameters
    ----------
    encoder : Table or WordVectors
        Rows to be shaped; each layer of a table by itself.
    texts : iterable of str
        Where tokens are counted; those that never occur are shaped like the others.
    shaper : str
        An affine shaper as text that learns from moments: "whiten", "whiten:100", "center", "zscore", "abtt:2" ...

    Returns
    -------
    Table or WordVectors
        The same tokens with other rows; factors of tokens are in the rows.

    Raises
    ------
    InputError
        If the encoder is not a static table, the texts have no known token, or the shaper does not learn from moments.

    Examples
    --------
    >>> zipfian(WordVectors("glove.6B.50d.txt"), corpus).save("glove-zipfian")  # doctest: +SKIP
    """
    rows = _Rows.of(encoder)
    counts = rows.counted(texts)
    return rows.replaced({layer: _shaped(table, counts, shaper) for layer, table in rows.by_layer.items()})


def weighted_moments(rows: Floats, counts: Ints) -> Moments:
    """Of rows that occur so many times each. Shape: (V, D), (V,)"""
    seen = np.flatnonzero(counts)
    n = int(counts.sum())
    blocks = [seen[start : start + _ROWS_AT_ONCE] for start in range(0, len(seen), _ROWS_AT_ONCE)]
    width = rows.shape[1]
    mean = sum((counts[block] @ rows[block].astype(np.float64) for block in blocks), np.zeros(width)) / n
    scatter = np.zeros((width, width))
    for block in blocks:
        centred = rows[block] - mean
        scatter += centred.T @ (centred * counts[block, None])
    return Moments(n, mean, scatter)


def _shaped(rows: Floats, counts: Ints, shaper: str) -> Floats:
    chain = parse_shapers(shaper)
    if len(chain) != 1 or not isinstance(chain[0], MomentShaper):
        raise InputError(
            f"the rows of a table can't be shaped by {shaper!r}: give one shaper that learns from moments, "
            "such as whiten, center, zscore or abtt:2"
        )
    affine = chain[0].fit_moments(weighted_moments(rows, counts)).affine()
    return np.asarray(affine.apply(rows), dtype=np.float32)


@dataclass(frozen=True)
class _Rows:
    """What tables and word vectors have in common: rows by token id."""

    encoder: Table | WordVectors
    by_layer: dict[int, Floats]
    left_out: int | None  # the id that does not count

    @classmethod
    def of(cls, encoder: Encoder) -> _Rows:
        if isinstance(encoder, WordVectors):
            return cls(encoder, {1: encoder.vectors}, len(encoder.words))
        if isinstance(encoder, Table):
            factors = None if encoder.weights is None else encoder.weights[:, None]
            by_layer = {n: rows if factors is None else rows * factors for n, rows in encoder.by_layer.items()}
            return cls(encoder, by_layer, encoder.vocabulary.unknown_id if encoder.skip_unknown else None)
        raise InputError(
            f"{encoder!r} is not a static table: whitening under the frequencies of tokens shapes the rows of one; "
            "give a table or word vectors, or make a table with `attar static`"
        )

    def counted(self, texts: Iterable[str]) -> Ints:
        """How often each row occurs. Shape: (V,)"""
        n_rows = len(next(iter(self.by_layer.values())))
        counts = np.zeros(max(n_rows, len(self.encoder.vocabulary)), dtype=np.int64)
        for part, _ in chunks(texts, self.encoder.texts_at_once):
            tokens = self.encoder.tokenize(part)
            counts += np.bincount(tokens.ids[tokens.roles == Role.TEXT], minlength=len(counts))
        if self.left_out is not None:
            counts[self.left_out] = 0
        if counts.sum() < 2:
            raise InputError(f"the texts hold {int(counts.sum())} known tokens; frequencies need a corpus")
        return counts[:n_rows]

    def replaced(self, by_layer: dict[int, Floats]) -> Table | WordVectors:
        if isinstance(self.encoder, WordVectors):
            return WordVectors.of(self.encoder.words, by_layer[1], **self.encoder.settings())
        table = self.encoder
        return Table(
            by_layer,
            table.backend_tokenizer,
            counts=table.counts,
            normalize=table.normalize,
            skip_unknown=table.skip_unknown,
            made=table.made,
        )
