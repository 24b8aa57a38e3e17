"""Cached: an encoder whose token vectors are kept on disk, so that a search passes each text through it once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from attar.encoders.around import Around
from attar.engine.sums import pool_rows
from attar.errors import InputError, OutputError, RecipeError
from attar.types import Encoder, Floats, Ints, Tokens, TokenVectors

_FILE = "token_vectors.sqlite"
_BYTES = 2**26  # of vectors held at once


class Cached(Around):
    """An encoder whose token vectors are kept on disk, so that each text goes through the model once.

    After that any layers, weights and shapers can be tried without a forward pass. The vectors of every token of every
    distinct text take 4 bytes x tokens x layers x dims. Several processes may share a folder, and so may encoders.

    Parameters
    ----------
    encoder : Encoder
        What computes the vectors.
    folder : str or Path
        Where they are kept.
    layers : sequence of int, optional
        The layers to keep; None for all from 0 up.

    Raises
    ------
    InputError
        If the encoder has a pooling of its own, which token vectors can't give back.
    """

    def __init__(self, encoder: Encoder, folder: str | Path, layers: Sequence[int] | None = None) -> None:
        if not encoder.pools_linearly:
            raise InputError(f"{encoder!r} pools in its own way; wrap the other way round: Pooled(Cached(...), ...)")
        self.encoder = encoder
        self.folder = Path(folder).expanduser()
        self.layers = None if layers is None else tuple(layers)

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        self._check(layers)
        pooled = np.empty((len(token_weights), len(tokens), len(layers), self.width(layers[0])), dtype=np.float32)
        for part, places, vectors in self._parts(tokens):
            offsets = np.concatenate([[0], np.cumsum(tokens.lengths[part])])
            for at, layer in enumerate(layers):
                pooled[:, part, at] = pool_rows(vectors[layer], None, token_weights[:, places], offsets)
        return pooled

    def token_vectors(self, tokens: Tokens, layers: Sequence[int]) -> TokenVectors:
        self._check(layers)
        by_layer = {layer: np.empty((len(tokens.ids), self.width(layer)), dtype=np.float32) for layer in layers}
        for _, places, vectors in self._parts(tokens):
            for layer, rows in by_layer.items():
                rows[places] = vectors[layer]
        return TokenVectors(by_layer)

    def spec(self) -> dict[str, Any]:
        """The wrapped encoder's own: the cache is not saved with a recipe."""
        return self.encoder.spec()

    @property
    def kind(self) -> str:  # type: ignore[override]
        return self.encoder.kind

    def with_template(self, template: str | None) -> Cached:
        return Cached(self.encoder.with_template(template), self.folder, self.layers)

    def configured(
        self, *, threads: int | None = None, precision: str | None = None, device: str | None = None
    ) -> Cached:
        return Cached(
            self.encoder.configured(threads=threads, precision=precision, device=device), self.folder, self.layers
        )

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], folder: Path | None = None) -> Self:
        raise RecipeError("a recipe does not record a cache: load its encoder and wrap that in Cached(...)")

    @property
    def kept(self) -> tuple[int, ...]:
        """The layers it keeps, all of one width."""
        if self.layers is not None:
            return self.layers
        return tuple(range(max(self.first_layer, 0), self.n_layers + 1))

    def _parts(self, tokens: Tokens) -> Iterator[tuple[Ints, Ints, dict[int, Floats]]]:
        """Some sequences at a time: which, the places of their tokens, and the vectors by layer."""
        layers = self.kept
        budget = _BYTES // (4 * len(layers) * self.width(layers[0]))
        part_of = (np.cumsum(tokens.lengths) - 1) // max(budget, 1)
        for part in np.split(np.arange(len(tokens)), np.flatnonzero(np.diff(part_of)) + 1):
            if not len(part):
                continue
            taken = tokens.take(part)
            places = np.arange(tokens.offsets[part[0]], tokens.offsets[part[-1] + 1])
            stacked = np.concatenate(self._vectors(taken), axis=1)  # (L, T, D)
            yield part, places, dict(zip(layers, stacked, strict=True))

    def _vectors(self, tokens: Tokens) -> list[Floats]:
        """Of each sequence, from disk or from the encoder. Shape of each: (L, T, D)"""
        keys = [self._key(tokens.ids[a:b]) for a, b in zip(tokens.offsets[:-1], tokens.offsets[1:], strict=True)]
        shape = (len(self.kept), -1, self.width(self.kept[0]))
        with self._open() as base:
            found = {key: _read(base, key) for key in set(keys)}
            missing = {key: n for n, key in enumerate(keys) if found[key] is None}
            if missing:
                fresh = tokens.take(np.array(list(missing.values())))
                vectors = self.encoder.token_vectors(fresh, self.kept)
                stacked = np.stack([vectors[layer] for layer in self.kept])
                for n, key in enumerate(missing):
                    found[key] = stacked[:, fresh.offsets[n] : fresh.offsets[n + 1]].tobytes()
                    base.execute("INSERT OR IGNORE INTO vectors VALUES (?, ?)", (key, found[key]))
                base.commit()
        return [np.frombuffer(found[key] or b"", dtype=np.float32).reshape(shape) for key in keys]

    def _key(self, ids: Any) -> bytes:
        return hashlib.sha256(self._identity + ids.tobytes()).digest()

    @cached_property
    def _identity(self) -> bytes:
        """Tells encoders apart."""
        return json.dumps([self.fingerprint, self.encoder.spec(), self.kept], sort_keys=True).encode()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.folder / _FILE, timeout=600)) as base:
                base.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vectors BLOB)")
                yield base
        except (OSError, sqlite3.Error) as error:
            raise OutputError(f"can't keep vectors in {str(self.folder)!r}: {error}") from None

    def _check(self, layers: Sequence[int]) -> None:
        absent = [layer for layer in layers if layer not in self.kept]
        if absent:
            raise InputError(
                f"layer {absent[0]} is not kept: this cache keeps {', '.join(map(str, self.kept))}; "
                "name it in Cached(..., layers=...)"
            )

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # never changes

    def __repr__(self) -> str:
        return f"Cached({self.encoder!r}, {str(self.folder)!r})"


def _read(base: sqlite3.Connection, key: bytes) -> bytes | None:
    row = base.execute("SELECT vectors FROM vectors WHERE key = ?", (key,)).fetchone()
    return None if row is None else bytes(row[0])
