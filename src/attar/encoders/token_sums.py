"""TokenSums: what the Avg. of a corpus is made from. Sums of parts add up to the sums of the whole."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from attar.errors import InputError, ModelError
from attar.io.arrays import map_arrays, write_arrays
from attar.io.atomic import new_file
from attar.types import Doubles, Encoder, Floats, Ints, Tokens, TokenVectors

_FORMAT = "attar token sums 1"
_ABOUT = ("n_texts", "n_truncated")


@dataclass(frozen=True)
class ById:
    """Which tokens are the same."""

    distinct: Ints  # (U,)
    counts: Ints  # (U,)
    gather: csr_array  # (U, T), 1 where a token is that one

    @classmethod
    def of(cls, ids: npt.NDArray[np.integer]) -> Self:
        distinct, which, counts = np.unique(ids, return_inverse=True, return_counts=True)
        places = np.argsort(which, kind="stable")
        ends = np.concatenate([[0], np.cumsum(counts)])
        gather = csr_array((np.ones(len(places)), places, ends), shape=(len(distinct), len(places)))
        return cls(distinct, counts, gather)

    def sum(self, vectors: Floats) -> Doubles:
        """Shape: (T, D) -> (U, D)"""
        found: Doubles = self.gather @ vectors.astype(np.float64)
        return found


@dataclass
class TokenSums:
    """For each token of a vocabulary: the sum of its vectors at each layer, in float64, and how often it was seen."""

    sums: dict[int, Doubles]  # layer: (V, D)
    counts: Ints  # (V,)
    n_texts: int = 0
    n_truncated: int = 0
    corpus: str = ""  # a hash of all texts, in order
    model: str = ""  # a hash of what made the vectors

    @classmethod
    def empty(cls, encoder: Encoder, layers: Sequence[int]) -> Self:
        n_tokens = len(encoder.vocabulary)
        sums = {layer: np.zeros((n_tokens, encoder.width(layer))) for layer in layers}
        return cls(sums, np.zeros(n_tokens, dtype=np.int64), model=_identity(encoder))

    def note(self, texts: Sequence[str]) -> None:
        """Remember that these texts are in."""
        self.n_texts += len(texts)
        self.corpus = extend_hash(self.corpus, texts)

    def add(self, tokens: Tokens, vectors: TokenVectors) -> None:
        """Add every token, special ones too."""
        by_id = ById.of(tokens.ids)
        self.add_sums(by_id, {layer: by_id.sum(vectors[layer]) for layer in self.sums})

    def add_sums(self, by_id: ById, by_layer: Mapping[int, Doubles]) -> None:
        """Add what was summed for each distinct token, at every layer."""
        for layer, total in self.sums.items():
            total[by_id.distinct] += by_layer[layer]
        self.counts[by_id.distinct] += by_id.counts

    def merge(self, other: TokenSums) -> TokenSums:
        """The sums of both parts together."""
        self.check_like(other, "the other part")
        return TokenSums(
            {layer: total + other.sums[layer] for layer, total in self.sums.items()},
            self.counts + other.counts,
            self.n_texts + other.n_texts,
            self.n_truncated + other.n_truncated,
            hashlib.sha256((self.corpus + other.corpus).encode()).hexdigest(),
            self.model,
        )

    def check_like(self, other: TokenSums, what: str) -> None:
        """Refuses sums of another model, vocabulary or layers."""
        mine, theirs = ({layer: s.shape for layer, s in part.sums.items()} for part in (self, other))
        if mine != theirs:
            raise InputError(f"{what} holds sums of other shapes by layer: {theirs}; expected {mine}")
        if self.model != other.model:
            raise InputError(f"{what} was made with another model, template or token limit: it can't be added")

    def means(self, encoder: Encoder) -> tuple[dict[int, Floats], dict[str, Any]]:
        """The mean vector of each token by layer, and an account of it.

        A token that was never seen gets its input embedding: layer -1 where that is as wide as the layer asked for,
        else layer 0 of the token alone, else zeros.
        """
        unseen = np.flatnonzero(self.counts == 0)
        vectors, filled = {}, {}
        for layer, total in self.sums.items():
            mean = (total / np.maximum(self.counts, 1)[:, None]).astype(np.float32)
            mean[unseen], filled[str(layer)] = _stand_in(encoder, unseen, mean.shape[1])
            vectors[layer] = mean
        return vectors, {
            "how": "average",
            "model": encoder.spec(),
            "texts": self.n_texts,
            "truncated": self.n_truncated,
            "corpus_sha256": self.corpus,
            "tokens": int(self.counts.sum()),
            "seen": int((self.counts > 0).sum()),
            "unseen": len(unseen),
            "unseen_filled_with": filled if len(unseen) else {},
        }

    def save(self, path: Path) -> None:
        """Write one file, whole or not at all."""
        arrays = {f"layer.{layer}": total for layer, total in self.sums.items()} | {"counts": self.counts}
        about = {name: str(getattr(self, name)) for name in _ABOUT} | {"corpus": self.corpus, "model": self.model}
        about["format"] = _FORMAT
        with new_file(path) as aside:
            write_arrays(aside, arrays, about)

    @classmethod
    def load(cls, path: Path) -> Self:
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(str(path), "numpy") as file:
                about = file.metadata() or {}
        except (SafetensorError, OSError) as error:
            raise ModelError(f"can't read the token sums {path}: {error}") from None
        if about.get("format") != _FORMAT or not all(about.get(n, "").isdigit() for n in _ABOUT):
            raise ModelError(f"{path} does not hold token sums of this version")
        arrays = {name: np.array(array) for name, array in map_arrays(path).items()}
        counts = arrays.pop("counts", None)
        layers = {name.removeprefix("layer."): array for name, array in arrays.items()}
        whole = counts is not None and layers and all(a.ndim == 2 and len(a) == len(counts) for a in layers.values())
        if counts is None or not whole or not all(name.lstrip("-").isdigit() for name in layers):
            raise ModelError(f"{path} is damaged: its arrays are {sorted(arrays)}")
        sums = {int(name): array for name, array in sorted(layers.items(), key=lambda item: int(item[0]))}
        n_texts, n_truncated = (int(about[name]) for name in _ABOUT)
        return cls(sums, counts, n_texts, n_truncated, about.get("corpus", ""), about.get("model", ""))


class BatchSums:
    """Sums batches that several threads compute; they are added in order, so that the result is always the same."""

    def __init__(self, sums: TokenSums, ids: npt.NDArray[np.integer]) -> None:
        self._sums, self._ids = sums, ids
        self._highest = max(sums.sums)
        self._begun: dict[int, tuple[ById, dict[int, Doubles]]] = {}
        self._ready: dict[int, tuple[ById, dict[int, Doubles]]] = {}
        self._next = 0
        self._lock = threading.Lock()

    def visit(self, number: int, places: Ints, layer: int, vectors: Floats) -> None:
        """One layer of a batch, lower layers first. Shape: (T of the batch,), (T of the batch, D)"""
        if number not in self._begun:
            self._begun[number] = ById.of(self._ids[places]), {}
        by_id, by_layer = self._begun[number]
        by_layer[layer] = by_id.sum(vectors)
        if layer == self._highest:
            self._finish(number)

    def _finish(self, number: int) -> None:
        with self._lock:
            self._ready[number] = self._begun.pop(number)
            while self._next in self._ready:
                self._sums.add_sums(*self._ready.pop(self._next))
                self._next += 1


def extend_hash(digest: str, texts: Sequence[str]) -> str:
    """A hash of a stream of texts, carried on: however the stream is cut into parts, it is the same."""
    state = bytes.fromhex(digest)
    for text in texts:
        state = hashlib.sha256(state + text.encode("utf-8", "surrogatepass")).digest()
    return state.hex()


def _identity(encoder: Encoder) -> str:
    """The same wherever the model's files lie."""
    spec = {name: value for name, value in encoder.spec().items() if name not in ("model", "revision")}
    about = [encoder.fingerprint, spec]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


def _stand_in(encoder: Encoder, ids: Ints, width: int) -> tuple[Floats, str]:
    for layer, name in ((-1, "layer -1"), (0, "layer 0 of the token alone")):
        if encoder.first_layer <= layer and encoder.width(layer) == width:
            alone = Tokens.of([[int(i)] for i in ids])
            return encoder.token_vectors(alone, [layer])[layer], name
    return np.zeros((len(ids), width), dtype=np.float32), "zeros"
