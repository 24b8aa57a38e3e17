"""Encoders that only look vectors up: their rows and the weights of a text's own tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attar.encoders.random import Random
from attar.encoders.table import Table
from attar.encoders.transformer import Transformer
from attar.errors import RecipeError
from attar.exports.fitted_parts import FittedParts
from attar.exports.weight_table import weight_table
from attar.pooling import mix_layers
from attar.types import Doubles, Encoder, Floats, Role, Tokens


def static_rows(source: FittedParts) -> Doubles:
    """The vector of each token, layers mixed. Shape: (V, D)"""
    encoder = source.encoder
    static = isinstance(encoder, (Table, Random)) or (isinstance(encoder, Transformer) and source.layers == (-1,))
    if not static:
        raise RecipeError(
            f"{type(encoder).__name__} at layers {', '.join(map(str, source.layers))} is not a static table of a "
            "tokenizer's tokens; exportable to model2vec: an Avg. made of it (`Table.average`), a Table, a Random, or "
            "layer -1 of a Transformer"
        )
    return token_rows(encoder, source.layers, source.layer_weights).astype(np.float64)


def token_rows(encoder: Encoder, layers: Sequence[int], layer_weights: Sequence[float]) -> Floats:
    """What an encoder that only looks up has for each token. Shape: (V, D)"""
    vectors = encoder.token_vectors(Tokens.of([range(len(encoder.vocabulary))]), layers)
    by_layer = np.stack([vectors[layer] for layer in layers], axis=1)  # (V, L, D)
    return np.ascontiguousarray(mix_layers(by_layer, layer_weights))


def text_weights(source: FittedParts) -> Doubles:
    """How much each token counts; refuses weights by place and frames that count. Shape: (V,)"""
    vocabulary = source.encoder.vocabulary
    table = weight_table(source.weights, vocabulary)
    frame = source.encoder.frame
    counting = [vocabulary.pieces[token] for token, role in frame.tokens if table.starting[role, token] > 0]
    if counting or table.by_place:
        which = f"{', '.join(counting)} around a text" if counting else "tokens by their place in a word"
        raise RecipeError(
            f"these weights count {which}, and a static table only knows the text's own tokens, each alike wherever it "
            "stands; exportable instead: mean or idf weights without specials or template, or this one --to onnx"
        )
    weights: Doubles = table.starting[Role.TEXT].astype(np.float64)
    if getattr(source.encoder, "skip_unknown", False) and vocabulary.unknown_id is not None:
        weights[vocabulary.unknown_id] = weights.max()  # left out by other means
    return weights
