"""Why two texts are close: their cosine as a sum over pairs of words.

A pooled vector is a weighted sum of token vectors, and an affine shaper acts on each term of the sum by itself (its
offset is shared out by the weights, which sum to 1). So a shaped vector is a sum of one vector for each token, and the
product of two of them a sum over pairs of tokens: exactly. Unit length only divides. What is not affine (quantiles)
shares out its change by its slope at the text's vector, the rest by the weights: the sum stays exact, the shares are
those of a small change, and `exact` is then False.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attar.errors import InputError
from attar.layers import LayerChoice, resolve_layers
from attar.pooling import mix_layers, pool_tokenized, scale_weights
from attar.shapers import AffineShaper, Unit
from attar.tokens.byte_level import WORD_START, decode
from attar.types import Doubles, Encoder, Role, Tokens, Vocabulary
from attar.weights import Weighting

_STEP = 1e-3  # of a token's own part, for slopes of shapers that are not affine


@dataclass(frozen=True)
class Word:
    """A word of a text, or a special or template token, as the model reads it."""

    text: str
    role: Role
    weight: float  # its share of the text's vector, before shaping


@dataclass(frozen=True)
class Explanation:
    """The cosine of two texts, split into contributions of pairs of words.

    `contributions` (words of a, words of b) sum to `cosine`. `exact`: whether every shaper is affine or unit length;
    if not, `local` names those whose change was shared out by its slope. `note` says where words can't be told apart.
    """

    a: tuple[Word, ...]
    b: tuple[Word, ...]
    contributions: Doubles  # (A, B)
    cosine: float
    local: tuple[str, ...] = ()
    by_words: bool = True  # False: the recipe reads a token that stands for the whole text, such as a mask

    @property
    def note(self) -> str:
        """What the contributions can't tell; empty where they tell words apart."""
        if self.by_words:
            return ""
        read = " and ".join(dict.fromkeys(word.text for word in (*self.a, *self.b) if word.weight))
        return (
            f"the recipe reads {read} alone, into which the model has put all words of a text: no word can be told "
            "from another"
        )

    @property
    def exact(self) -> bool:
        return not self.local

    @property
    def of_a(self) -> Doubles:
        """What each word of the first text contributes, with all words of the second. Shape: (A,)"""
        shares: Doubles = self.contributions.sum(axis=1)
        return shares

    @property
    def of_b(self) -> Doubles:
        """Shape: (B,)"""
        shares: Doubles = self.contributions.sum(axis=0)
        return shares

    def to_json(self) -> dict[str, Any]:
        """Words, and a list of contributions for each word of the first text."""
        return {
            "cosine": self.cosine,
            "a": [word.text for word in self.a],
            "b": [word.text for word in self.b],
            "contributions": [[float(value) for value in row] for row in self.contributions],
            "local": list(self.local),
            "note": self.note,
        }


@dataclass(frozen=True)
class _Split:
    """A vector as a sum of one vector for each word."""

    words: tuple[Word, ...]
    parts: Doubles  # (W, D), adding up to the vector
    shares: Doubles  # (W,), adding up to 1
    local: tuple[str, ...] = ()


def explain_pair(
    encoder: Encoder, weights: Weighting, layers: LayerChoice, shapers: Sequence[Any], a: str, b: str
) -> Explanation:
    """Split the cosine of two texts.

    Parameters
    ----------
    encoder, weights, layers, shapers : a fitted path from texts to vectors
    a, b : the texts

    Raises
    ------
    InputError : a text without tokens, or with a zero vector; a pooling that is not linear
    """
    if not encoder.pools_linearly:
        raise InputError(
            f"{encoder!r} does not add up over words, so there is nothing to split; explain the same recipe without a "
            "pooling"
        )
    left, right = (_shaped(_pooled(encoder, weights, layers, text), shapers) for text in (a, b))
    lengths = [float(np.linalg.norm(side.parts.sum(axis=0))) for side in (left, right)]
    for text, length in zip((a, b), lengths, strict=True):
        if length == 0:
            raise InputError(f"the text {text[:60]!r} has a zero vector: it is close to nothing")
    contributions = left.parts @ right.parts.T / (lengths[0] * lengths[1])
    return Explanation(left.words, right.words, contributions, float(contributions.sum()), left.local, weights.by_words)


def _pooled(encoder: Encoder, weights: Weighting, layers: LayerChoice, text: str) -> _Split:
    tokens = encoder.tokenize([text])
    if not len(tokens.ids):
        raise InputError(f"the text {text[:60]!r} has no tokens that the model knows, so there is nothing to explain")
    numbers, layer_weights = resolve_layers(layers, encoder)
    token_weights = scale_weights(weights.weigh(tokens), tokens)[0].astype(np.float64) / len(tokens)  # windows: a mean
    vectors = encoder.token_vectors(tokens, numbers)
    mixed = sum(
        weight * vectors[layer].astype(np.float64) for layer, weight in zip(numbers, layer_weights, strict=True)
    )
    places, words = group_words(tokens, encoder.vocabulary, token_weights)
    parts = np.zeros((len(words), np.shape(mixed)[1]))
    np.add.at(parts, places, token_weights[:, None] * mixed)
    shares = np.array([word.weight for word in words])
    pooled = pool_tokenized(encoder, tokens, [weights], numbers).vectors[0]
    encoded = mix_layers(pooled, layer_weights)[0].astype(np.float64)  # as `encode` rounds it: quantiles jump
    parts += (shares / shares.sum())[:, None] * (encoded - parts.sum(axis=0))
    counted = [i for i, word in enumerate(words) if word.role == Role.TEXT or word.weight]  # others have no part in it
    return _Split(tuple(words[i] for i in counted), parts[counted], shares[counted] / shares.sum())


def _shaped(split: _Split, shapers: Sequence[Any]) -> _Split:
    for shaper in shapers:
        split = _through(split, shaper)
    return split


def _through(split: _Split, shaper: Any) -> _Split:
    if isinstance(shaper, AffineShaper):
        affine = shaper.affine()
        moved = split.parts * affine.linear if affine.matrix is None else split.parts @ affine.linear
        return _Split(split.words, moved + split.shares[:, None] * affine.offset, split.shares, split.local)
    whole = split.parts.sum(axis=0)
    if isinstance(shaper, Unit):
        length = float(np.linalg.norm(whole))
        return _Split(split.words, split.parts / (length or 1.0), split.shares, split.local)
    whole = whole.astype(np.float32).astype(np.float64)
    moved = _by_slope(split.parts, whole, shaper)
    rest = np.asarray(shaper.transform(whole[None]), dtype=np.float64)[0] - moved.sum(axis=0)
    name = getattr(shaper, "name", type(shaper).__name__)
    return _Split(split.words, moved + split.shares[:, None] * rest, split.shares, (*split.local, name))


def _by_slope(parts: Doubles, whole: Doubles, shaper: Any) -> Doubles:
    """How the shaped vector changes with each part, by central differences. Shape: (W, D')"""
    up, down = (np.asarray(shaper.transform(whole + step * parts), dtype=np.float64) for step in (_STEP, -_STEP))
    change: Doubles = (up - down) / (2 * _STEP)
    return change


def group_words(tokens: Tokens, vocabulary: Vocabulary, weights: Doubles) -> tuple[Any, tuple[Word, ...]]:
    """Pieces joined to words: for each token the number of its word, and the words. Shape: (T,)"""
    places = np.empty(len(tokens.ids), dtype=np.int64)
    pieces: list[list[str]] = []
    roles: list[Role] = []
    sums: list[float] = []
    starts = set(tokens.offsets[:-1].tolist())
    for at, (token, role) in enumerate(zip(tokens.ids.tolist(), tokens.roles.tolist(), strict=True)):
        joins = pieces and at not in starts and role == roles[-1] and vocabulary.is_continuation(token)
        if not joins or role in (Role.SPECIAL, Role.MASK):
            pieces.append([])
            roles.append(Role(role))
            sums.append(0.0)
        pieces[-1].append(vocabulary.pieces[token])
        sums[-1] += float(weights[at])
        places[at] = len(pieces) - 1
    words = tuple(
        Word(_spelled(parts, vocabulary), role, weight) for parts, role, weight in zip(pieces, roles, sums, strict=True)
    )
    return places, words


def _spelled(pieces: list[str], vocabulary: Vocabulary) -> str:
    """A word without the marks of its pieces."""
    if vocabulary.continuation:
        return "".join(piece.removeprefix(vocabulary.continuation) if i else piece for i, piece in enumerate(pieces))
    bare = "".join(pieces).removeprefix(vocabulary.word_start)
    return decode(bare) if vocabulary.word_start == WORD_START else bare
