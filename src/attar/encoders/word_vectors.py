"""WordVectors: BERT2Static, GloVe, word2vec and everything like them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from attar.encoders.bag import CHUNK, check_layers, mean_vectors
from attar.encoders.formats.word_files import read_words
from attar.encoders.opening import saved_folder
from attar.encoders.words import Coverage, word_pattern
from attar.engine.sums import pool_rows
from attar.errors import InputError
from attar.io.texts import chunks
from attar.pooling import leave_out
from attar.types import Encoder, Floats, Role, Tokens, TokenVectors, Vocabulary

_LAYERS = (1,)
_UNKNOWN = "<unknown>"


class WordVectors(Encoder):
    """A vector for each word of a file, loaded on first use: word2vec text or binary, GloVe text, plain or gzip.

    Words without a vector do not count; `coverage(texts)` counts them, and so does `Embedder`.

    Parameters
    ----------
    path : str or Path
        The file.
    split : str
        What a word is: "words" (like the Penn Treebank), "whitespace", or a regular expression.
    lower : bool
        Texts are lower-cased first.
    drop_frequent : int
        How many of the most frequent words to leave out; B2S-100 is 100. A text of nothing but frequent words keeps
        them.
    frequent : sequence of str, optional
        Words by descending frequency; the order of the file unless given.
    limit : int, optional
        Read only so many words.

    Raises
    ------
    InputError
        If a number or the pattern is not allowed.
    """

    kind = "word_vectors"

    def __init__(
        self,
        path: str | Path,
        split: str = "words",
        lower: bool = True,
        drop_frequent: int = 0,
        frequent: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> None:
        self.path = Path(path).expanduser()
        self.split = split
        self.lower = lower
        self.drop_frequent = drop_frequent
        self.frequent = None if frequent is None else tuple(frequent)
        self.limit = limit
        self._pattern = word_pattern(split)
        for name, value in (("drop_frequent", drop_frequent), ("limit", 1 if limit is None else limit)):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < (name == "limit"):
                raise InputError(f"{name}={value!r} is not a number of words")

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        vectors: npt.ArrayLike,
        split: str = "words",
        lower: bool = True,
        drop_frequent: int = 0,
        frequent: Sequence[str] | None = None,
    ) -> Self:
        """Word vectors from arrays in memory.

        Parameters
        ----------
        words : sequence of V str
            The words, the most frequent first.
        vectors : array of shape (V, D)
            Their vectors.
        split, lower, drop_frequent, frequent : object
            As of the class.

        Returns
        -------
        WordVectors
            Nothing is read from a file.

        Raises
        ------
        InputError
            If the numbers of words and vectors differ.
        """
        table = np.ascontiguousarray(vectors, dtype=np.float32)
        if table.ndim != 2 or len(table) != len(words) or not len(words):
            raise InputError(f"{len(words)} words need vectors of shape ({len(words)}, D); given {table.shape}")
        made = cls("in memory", split, lower, drop_frequent, frequent)
        made.__dict__["_loaded"] = (tuple(words), table)
        return made

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read what `save` wrote; the vectors stay on disk until they are needed.

        Parameters
        ----------
        folder : str or Path
            The folder.

        Returns
        -------
        WordVectors
            Equal to those that were saved.

        Raises
        ------
        ModelError
            If the folder holds something else, or it is damaged.
        """
        from attar.encoders.formats.word_folder import read_folder

        words, table, settings = read_folder(Path(folder).expanduser())
        return cls.of(
            words,
            table,
            split=settings["split"],
            lower=settings["lower"],
            drop_frequent=settings["drop_frequent"],
            frequent=settings["frequent"],
        )

    def save(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Write word_vectors.json, words.txt and vectors.safetensors.

        Parameters
        ----------
        folder : str or Path
            The folder to write; it appears whole or not at all.
        overwrite : bool
            Replace an earlier one.

        Raises
        ------
        OutputError
            If the folder exists, or can't be written.
        """
        from attar.encoders.formats.word_folder import write_folder

        write_folder(self, Path(folder).expanduser(), overwrite=overwrite)

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], folder: Path | None = None) -> Self:
        return cls.load(saved_folder(spec, folder))

    def save_arrays(self, folder: Path) -> None:
        self.save(folder)

    def encode(self, texts: Any) -> Floats:
        """The mean of each text's known words; logs how many are unknown.

        Parameters
        ----------
        texts : iterable of str
            N texts.

        Returns
        -------
        ndarray of float32, of shape (N, D)
            One row per text; zeros for a text without a known word.
        """
        coverage = Coverage()
        vectors = mean_vectors(self, texts, _LAYERS, lambda tokens: coverage.add(tokens, len(self.words)))
        coverage.report()
        return vectors

    def coverage(self, texts: Any) -> Coverage:
        """Count the words that have no vector.

        Parameters
        ----------
        texts : iterable of str
            The texts.

        Returns
        -------
        Coverage
            How many words and texts there are, and how many are unknown.
        """
        coverage = Coverage()
        for part, _ in chunks(texts, CHUNK):
            coverage.add(self.tokenize(part), len(self.words))
        return coverage

    @property
    def words(self) -> tuple[str, ...]:
        return self._loaded[0]

    @property
    def vectors(self) -> Floats:
        """Shape: (V, D)"""
        return self._loaded[1]

    @property
    def n_layers(self) -> int:
        return 1

    @property
    def first_layer(self) -> int:
        return 1

    @cached_property
    def vocabulary(self) -> Vocabulary:
        n = len(self.words)
        return Vocabulary((*self.words, _UNKNOWN), frozenset(), unknown_id=n, mask_id=None, continuation="")

    def width(self, layer: int) -> int:
        return int(self.vectors.shape[1])

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        unknown = len(self.words)
        found = [self._pattern.findall(text.lower() if self.lower else text) for text in texts]
        lengths = np.fromiter(map(len, found), dtype=np.int64, count=len(found))
        index = self._index
        ids = np.fromiter((index.get(word, unknown) for word in chain.from_iterable(found)), dtype=np.int32)
        if self.drop_frequent:
            text_of = np.repeat(np.arange(len(texts)), lengths)
            telling = ~self._frequent[ids] & (ids != unknown)
            kept = ~self._frequent[ids] | (np.bincount(text_of[telling], minlength=len(texts)) == 0)[text_of]
            ids, lengths = ids[kept], np.bincount(text_of[kept], minlength=len(texts))
        n = len(texts)
        absent = ids == unknown
        return Tokens(
            ids=ids,
            roles=np.full(len(ids), Role.TEXT, dtype=np.uint8),
            offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            texts=np.arange(n),
            n_texts=n,
            truncated=np.zeros(n, dtype=bool),
            absent=absent if np.count_nonzero(absent) else None,
        )

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        check_layers(layers, _LAYERS)
        absent = tokens.ids == len(self.words)
        weights = leave_out(absent, token_weights, tokens.offsets)
        pooled = pool_rows(self.vectors, np.where(absent, 0, tokens.ids), weights, tokens.offsets)
        return np.repeat(pooled[:, :, None], len(layers), axis=2)

    def token_vectors(self, tokens: Tokens, layers: Sequence[int]) -> TokenVectors:
        """The vectors of all words.

        Parameters
        ----------
        tokens : Tokens
            T words.
        layers : sequence of int
            Only layer 1.

        Returns
        -------
        TokenVectors
            Layer 1: (T, D); a word without a vector has the zero vector.
        """
        check_layers(layers, _LAYERS)
        absent = tokens.ids == len(self.words)
        return TokenVectors({1: np.where(absent[:, None], 0, self.vectors[np.where(absent, 0, tokens.ids)])})

    def settings(self) -> dict[str, Any]:
        """How texts become words: JSON values."""
        frequent = None if self.frequent is None else list(self.frequent)
        return {
            "split": self.split,
            "lower": self.lower,
            "drop_frequent": self.drop_frequent,
            "frequent": frequent,
        }

    def spec(self) -> dict[str, Any]:
        size = {"words": len(self.words), "dims": self.width(1)}
        return {"type": self.kind, **size, **self.settings(), "sha256": self.fingerprint}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the words and their vectors."""
        digest = hashlib.sha256("\n".join(self.words).encode())
        digest.update(self.vectors.data)
        return digest.hexdigest()

    @cached_property
    def _loaded(self) -> tuple[tuple[str, ...], Floats]:
        words, vectors = read_words(self.path, self.limit)
        return tuple(words), vectors

    @cached_property
    def _index(self) -> dict[str, int]:
        """Where a word stands twice, the first counts."""
        index: dict[str, int] = {}
        for i, word in enumerate(self.words):
            index.setdefault(word, i)
        return index

    @cached_property
    def _frequent(self) -> npt.NDArray[np.bool_]:
        """Shape: (V + 1,)"""
        dropped = np.zeros(len(self.words) + 1, dtype=bool)
        words = (self.words if self.frequent is None else self.frequent)[: self.drop_frequent]
        dropped[[self._index[word] for word in words if word in self._index]] = True
        return dropped

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # never changes

    def __repr__(self) -> str:
        drop = f", drop_frequent={self.drop_frequent}" if self.drop_frequent else ""
        return f"WordVectors({str(self.path)!r}, split={self.split!r}{drop})"
