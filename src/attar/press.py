"""Press: the one path from texts up to the shapers, each distinct text once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attar.counts import Counts
from attar.io.prefetch import prefetch
from attar.io.progress import Advance, bar, nothing
from attar.layers import LayerChoice, resolve_layers
from attar.pooling import mix_layers, pool_tokenized
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

    @property
    def _at_once(self) -> int:
        return min(CHUNK, getattr(self.encoder, "texts_at_once", CHUNK))

    def chunks(self, texts: Sequence[str], counts: Counts, progress: bool = False) -> Iterator[Floats]:
        """Vectors of the texts, a chunk at a time. Shape: (chunk, D)"""
        with bar(len(texts), "texts", progress) as advance:
            yield from self.stream(parts(texts, self._at_once), counts, advance)

    def stream(self, texts: Iterable[Sequence[str]], counts: Counts, advance: Advance = nothing) -> Iterator[Floats]:
        """Vectors of each part of the texts; the next texts are tokenised meanwhile. Shape: (part, D)

        A slow encoder gets a part in pieces of `texts_at_once`, so that `advance` is called every few seconds.
        """
        layers, layer_weights = resolve_layers(self.layers, self.encoder)
        sizes: deque[int] = deque()  # pieces of the parts that are under way

        def pieces() -> Iterator[Sequence[str]]:
            for part in texts:
                cut = list(parts(part, self._at_once))
                sizes.append(len(cut))
                yield from cut

        done: list[Floats] = []
        for tokens in prefetch(self.encoder.tokenize, pieces()):
            pooled = pool_tokenized(self.encoder, tokens, [self.weights], layers)
            counts.add(pooled, self.encoder.vocabulary)
            done.append(mix_layers(pooled.vectors[0], layer_weights))
            advance(len(done[-1]))
            if len(done) == sizes[0]:
                yield done[0] if len(done) == 1 else np.concatenate(done)
                sizes.popleft()
                done = []

    def distinct(self, texts: Sequence[str], progress: bool = False) -> Pressed:
        """Vectors of all texts, each distinct one computed once."""
        counts = Counts(texts=len(texts))
        once, rows = distinct_texts(texts)
        vectors = joined(self.chunks(once, counts, progress), len(once))
        return Pressed(np.zeros((0, self.width), dtype=np.float32) if vectors is None else vectors, rows, counts)


def distinct_texts(texts: Sequence[str]) -> tuple[list[str], Ints]:
    """Each text once, in order of first appearance, and which of them each text is."""
    once = list(dict.fromkeys(texts))
    if len(once) == len(texts):
        return once, np.arange(len(texts))
    place = {text: n for n, text in enumerate(once)}
    return once, np.fromiter(map(place.__getitem__, texts), dtype=np.int64, count=len(texts))


def joined(chunks: Iterable[Floats], n: int) -> Floats | None:
    """The rows of all chunks, n of them, in one array; None where there is no chunk. Shape: (n, D)"""
    out: Floats | None = None
    done = 0
    for chunk in chunks:
        if out is None:
            if len(chunk) == n:
                return np.asarray(chunk, dtype=np.float32)
            out = np.empty((n, chunk.shape[1]), dtype=np.float32)
        out[done : done + len(chunk)] = chunk
        done += len(chunk)
    return out


def parts(texts: Sequence[str], size: int | None = None) -> Iterator[Sequence[str]]:
    """The texts in chunks."""
    size = size or CHUNK
    for start in range(0, len(texts), size):
        yield texts[start : start + size]
