"""A tokenizer of a few words, a table over it, and an encoder whose token vectors are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tokenizers
from tokenizers import models, pre_tokenizers, processors

from attar.engine.sums import pool_rows
from attar.tokens.tokenizer import TextTokenizer
from attar.types import Encoder, Floats, Tokens, TokenVectors, Vocabulary

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "dog", "ran"]


def few_words() -> tokenizers.Tokenizer:
    """Whole words between [CLS] and [SEP]; whatever else is [UNK]."""
    tokenizer = tokenizers.Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(WORDS[:5])
    frame = [("[CLS]", 2), ("[SEP]", 3)]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=frame)
    return tokenizer


def few_vectors(dims: int = 2, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=(len(WORDS), dims)).astype(np.float32)


class Knowing(Encoder):
    """An encoder with layers -1 to 2: the vector of a token at layer k is (id, place in the text, 10 k + length).

    `token_table` is the width of layer -1: 3, or another to be unlike the rest.
    """

    kind = "knowing"
    n_layers, first_layer = 2, -1

    def __init__(self, token_table: int = 3) -> None:
        self.tokenizer = TextTokenizer(few_words(), max_tokens=6)
        self.token_table = token_table
        self.calls = 0

    @property
    def vocabulary(self) -> Vocabulary:
        return self.tokenizer.vocabulary

    @property
    def backend_tokenizer(self) -> tokenizers.Tokenizer:
        return self.tokenizer.backend

    def width(self, layer: int) -> int:
        return self.token_table if layer == -1 else 3

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        return self.tokenizer(texts)

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        vectors = self.token_vectors(tokens, layers)
        rows = np.arange(len(tokens.ids))
        return np.stack([pool_rows(vectors[k], rows, token_weights, tokens.offsets) for k in layers], axis=2)

    def token_vectors(self, tokens: Tokens, layers: Sequence[int]) -> TokenVectors:
        self.calls += 1
        place = np.concatenate([np.arange(n) for n in tokens.lengths]) if len(tokens) else np.zeros(0)
        length = np.repeat(tokens.lengths, tokens.lengths)
        by_layer = {k: np.stack([tokens.ids, place, 10 * k + length], axis=1).astype(np.float32) for k in layers}
        if -1 in by_layer:
            by_layer[-1] = np.repeat(tokens.ids[:, None], self.token_table, axis=1).astype(np.float32)
        return TokenVectors(by_layer)

    def spec(self) -> dict[str, Any]:
        return {"type": self.kind}

    @classmethod
    def from_spec(cls, spec: Any, folder: Any = None) -> Knowing:
        return cls()
