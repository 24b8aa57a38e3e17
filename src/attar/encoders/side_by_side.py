"""SideBySide: layers beside each other instead of their average."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from attar.encoders.bag import check_layers
from attar.encoders.wrapper import LayerWrapper
from attar.errors import InputError
from attar.layers import LayerChoice, layer_pairs, layers_text, resolve_layers
from attar.types import Encoder, Floats, Ints, Tokens, TokenVectors, VisitTokens


class SideBySide(LayerWrapper):
    """The vectors of several layers as one: L layers of D dims make one layer of L * D dims.

    Pooling is linear in each part, so weights, templates, shapers and mixes work as always. An average of layers keeps
    what they share; here each counts by its length in a cosine. Vectors are L times as large.

    Parameters
    ----------
    encoder : Encoder, str, Path or None
        What computes the token vectors, or what opens it; None for the embedded default model.
    layers : layers
        At least two, without weights: "first,last", (1, 6, 12).

    Raises
    ------
    InputError
        If a layer is not there, there are fewer than two, or they have weights.

    Examples
    --------
    >>> Embedder(SideBySide("bert-base-uncased", "first,last"), shapers="zscore")  # doctest: +SKIP
    """

    kind = setting = "side_by_side"

    def __init__(self, encoder: Encoder | str | Path | None = None, layers: LayerChoice = ("first", "last")) -> None:
        pairs = layer_pairs(layers)
        self._value = layers_text(pairs)
        super().__init__(encoder, self._value)
        if len(pairs) < 2 or any(weight is not None for _, weight in pairs):
            raise InputError(f"layers {self._value!r} can't stand side by side: name at least two, without weights")
        self.parts = resolve_layers(layers, self.encoder)[0]

    @property
    def value(self) -> str:
        return self._value

    def width(self, layer: int) -> int:
        check_layers([layer], self.only)
        return sum(map(self.encoder.width, self.parts))

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        check_layers(layers, self.only)
        by_width: dict[int, list[int]] = {}
        for part in self.parts:
            by_width.setdefault(self.encoder.width(part), []).append(part)
        found: dict[int, Floats] = {}
        for group in by_width.values():
            pooled = self.encoder.pool(tokens, token_weights, group)
            found |= {part: pooled[:, :, at] for at, part in enumerate(group)}
        beside = np.concatenate([found[part] for part in self.parts], axis=2)
        return np.repeat(beside[:, :, None], len(layers), axis=2)

    def token_vectors(self, tokens: Tokens, layers: Sequence[int]) -> TokenVectors:
        check_layers(layers, self.only)
        vectors = self.encoder.token_vectors(tokens, self.parts)
        return TokenVectors({1: np.concatenate([vectors[part] for part in self.parts], axis=1)})

    def each_batch(self, tokens: Tokens, layers: Sequence[int], visit: VisitTokens) -> None:
        check_layers(layers, self.only)
        held: dict[int, dict[int, Floats]] = {}

        def gather(number: int, places: Ints, layer: int, vectors: Floats) -> None:
            batch = held.setdefault(number, {})
            batch[layer] = vectors.copy()  # the model may go on in the same place
            if len(batch) == len(self.parts):
                visit(number, places, 1, np.concatenate([batch[part] for part in self.parts], axis=1))
                del held[number]

        self.encoder.each_batch(tokens, self.parts, gather)
