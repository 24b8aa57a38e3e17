"""Press: the one path from texts up to the shapers, each distinct text once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attar.ahead import ahead
from attar.counts import Counts
from attar.layers import LayerChoice, resolve_layers
from attar.pool import mix_layers, pool_tokenized
from attar.progress import bar
from attar.types import Encoder, Floats, Ints
from attar.weights import Weighting

CHUNK = 8192  # texts; enough to find sequences of equal length, little enough to hold


@dataclass(frozen=True)
class Pressed:
    """Vectors of distinct texts; `rows` says which of them each text has."""

    vectors: Floats  # (distinct, D)
    rows: Ints  # (N,)
    counts: Counts


@dataclass(frozen=True)
class Press:
    """An encoder, fitted weights and layers."""

    encoder: Encoder
    weights: Weighting
    layers: LayerChoice

    @property
    def width(self) -> int:
        return self.encoder.width(resolve_layers(self.layers, self.encoder)[0][0])

    def chunks(self, texts: Sequence[str], counts: Counts, progress: bool = False) -> Iterator[Floats]:
        """Vectors of the texts, a chunk at a time. Shape: (chunk, D)"""
        with bar(len(texts), "texts", progress) as advance:
            for vectors in self.stream(parts(texts), counts):
                yield vectors
                advance(len(vectors))

    def stream(self, texts: Iterable[Sequence[str]], counts: Counts) -> Iterator[Floats]:
        """Vectors of each part of the texts; the next part is tokenised meanwhile. Shape: (part, D)"""
        layers, layer_weights = resolve_layers(self.layers, self.encoder)
        for tokens in ahead(self.encoder.tokenize, texts):
            pooled = pool_tokenized(self.encoder, tokens, [self.weights], layers)
            counts.add(pooled, self.encoder.vocabulary)
            yield mix_layers(pooled.vectors[0], layer_weights)

    def distinct(self, texts: Sequence[str], progress: bool = False) -> Pressed:
        """Vectors of all texts, each distinct one computed once."""
        counts = Counts(texts=len(texts))
        once, rows = distinct_texts(texts)
        return Pressed(np.concatenate(list(self.chunks(once, counts, progress))), rows, counts)


def distinct_texts(texts: Sequence[str]) -> tuple[list[str], Ints]:
    """Each text once, in order of first appearance, and which of them each text is."""
    found: dict[str, int] = {}
    rows = np.fromiter((found.setdefault(text, len(found)) for text in texts), dtype=np.int64, count=len(texts))
    return list(found), rows


def parts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """The texts in chunks."""
    for start in range(0, len(texts), CHUNK):
        yield texts[start : start + CHUNK]
